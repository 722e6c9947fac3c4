"""How fast is it, beside a peer in the same run? One module a subject of ``german-whist bench``."""

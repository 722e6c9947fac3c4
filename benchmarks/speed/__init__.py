"""How fast is the package, compared with others in the same run? One module per ``german-whist bench`` name."""

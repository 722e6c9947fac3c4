"""Speed in comparison with other libraries in the same run, one module per name of ``german-whist bench``."""

"""Speed benchmarks: ``german-whist bench``."""

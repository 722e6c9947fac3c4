"""Speed benchmarks (``german-whist bench``) and measurements of strength."""

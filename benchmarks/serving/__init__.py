"""Benchmarks of ``german-whist serve``: answers, and many tables at once."""

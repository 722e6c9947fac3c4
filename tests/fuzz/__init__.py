"""Mutated input."""

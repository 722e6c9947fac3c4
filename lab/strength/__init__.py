"""Measurements of strength, and of how much endgames decide."""

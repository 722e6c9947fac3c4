"""Hints, reviews of finished deals, and other ways to play them."""

"""Stepping the game: batches of deals, single deals, single matches, reset options."""

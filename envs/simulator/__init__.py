"""Stepping the game: batches of deals, episodes of deals or matches, reset options, checks of states."""

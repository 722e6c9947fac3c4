"""Playing the game: what a seat sees, batches of deals, episodes of deals or matches, text."""

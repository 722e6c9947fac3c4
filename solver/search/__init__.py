"""Alpha-beta search with a transposition table, above the tablebase."""

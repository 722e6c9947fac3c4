"""How is an endgame too large for the tablebase solved? Alpha-beta search with a transposition table."""

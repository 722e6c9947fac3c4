"""The endgame tablebase: building, storing and looking up."""

"""Perfect play in endgames with known hands."""

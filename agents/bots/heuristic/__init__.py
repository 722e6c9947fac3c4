"""``heuristic``: the textbook bot."""

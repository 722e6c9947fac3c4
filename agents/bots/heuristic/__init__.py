"""The ``heuristic`` bot."""

"""Approximate policy iteration: ``trainer`` has the algorithm, ``targets`` what the networks learn."""

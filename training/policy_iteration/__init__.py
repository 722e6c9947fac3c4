"""Approximate policy iteration: regression on the value of every action."""

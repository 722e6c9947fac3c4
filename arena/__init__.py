"""Agents against each other: matches and their statistics."""

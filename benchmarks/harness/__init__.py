"""Timing of figures, and their reports."""

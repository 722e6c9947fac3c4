"""Checks of what is published."""

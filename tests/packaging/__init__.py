"""Checks of what is published: ``make dist`` and ``make lowest``."""

"""Deals, positions and rules as text."""

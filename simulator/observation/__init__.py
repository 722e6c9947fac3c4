"""Observations: views, vectors, histories, full states."""

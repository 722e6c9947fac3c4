"""Requests of the API: play, coach, statistics."""

"""Tournaments: every pair of agents on the same mirrored deals, one scale for all."""

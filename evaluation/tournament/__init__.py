"""Tournaments: every pair of agents plays the same mirrored deals, and all agents are rated on one scale."""

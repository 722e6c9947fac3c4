"""Layers of policy networks and their forward pass."""

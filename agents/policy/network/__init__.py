"""Layers of policy and value networks, and their forward pass with and without torch."""

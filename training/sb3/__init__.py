"""Stable-Baselines3's MaskablePPO on our batches."""

"""How does Stable-Baselines3's MaskablePPO train on our batches?"""

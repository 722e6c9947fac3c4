"""Search in sampled worlds: what all such agents share, flat Monte Carlo and ISMCTS."""

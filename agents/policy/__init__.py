"""Which card does a trained network play? Checkpoints and their forward pass."""

"""Which card does a trained network play? Checkpoints."""

"""Policy networks: checkpoints, network inputs, and the agent that plays a network."""

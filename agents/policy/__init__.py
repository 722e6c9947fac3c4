"""Policy networks as agents: checkpoints and their inputs."""

"""What do our own trainers share? The training loop, its learner, snapshots and metrics."""

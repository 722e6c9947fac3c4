"""What our own trainers share: loop, learner, snapshots, metrics."""

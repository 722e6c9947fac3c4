"""What does a run write to disk, and how does it run? Directory, progress, evaluation, processes."""

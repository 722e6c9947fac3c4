"""What does a run leave on disk, and what keeps it going? Directory, progress, evaluation, processes."""

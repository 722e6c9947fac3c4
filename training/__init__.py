"""Self-play training: runs and trainers."""

"""Self-play training: runs, trainers, and the export of trained networks."""

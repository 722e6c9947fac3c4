"""Self-play training: runs, trainers, and the export of their networks."""

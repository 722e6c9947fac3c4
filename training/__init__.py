"""How is an agent trained by self-play? Runs, trainers, and the export of their networks."""

"""A training run on disk and in the terminal: folder, snapshot, records, outcome and progress."""

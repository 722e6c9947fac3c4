"""A run on disk and on the machine: directory, progress, evaluation, processes."""

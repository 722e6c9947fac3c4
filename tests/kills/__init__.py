"""What is left of a run, or a server, that is killed at any moment? Everything."""

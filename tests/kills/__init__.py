"""What is left of a run that is killed at any moment? Everything."""

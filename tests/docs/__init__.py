"""The documentation is what the code says."""

"""Start-up time of a new process."""

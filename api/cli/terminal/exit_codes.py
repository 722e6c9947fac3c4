"""Exit codes of the commands."""

BAD_INPUT = 2
INTERRUPTED = 130  # as a shell reports a process that SIGINT ended

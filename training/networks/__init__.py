"""Networks, their optimiser and averaging."""

"""Sequential probability ratio tests on mirrored deals."""

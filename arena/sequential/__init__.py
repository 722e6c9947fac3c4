"""When is a match decided? Sequential probability ratio tests on mirrored deals."""

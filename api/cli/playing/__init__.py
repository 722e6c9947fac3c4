"""Commands for a person who plays or looks at deals: play, serve, replay, review."""

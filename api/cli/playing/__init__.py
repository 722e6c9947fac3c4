"""How does a person play, and look at deals that were played? The commands play, serve, replay and review."""

"""German Whist for language models: an environment whose observations and actions are messages."""

"""Cards, rules, engine, views, observations and environments: the game itself."""

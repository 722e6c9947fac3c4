"""How do the commands measure strength beyond a single match? Shards put together, tournaments, sequential tests."""

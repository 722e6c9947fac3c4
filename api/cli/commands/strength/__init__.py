"""How do the commands measure strength beyond a single match? Tournaments, exploitability, merged shards."""

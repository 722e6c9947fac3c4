"""Commands that measure strength beyond a single match: tournaments, exploitability, merged shards."""

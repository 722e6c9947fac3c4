"""Measuring agents: matches on mirrored deals, statistics, tournaments, recordings and exploitability."""

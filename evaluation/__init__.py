"""Measuring agents: contests on mirrored deals, statistics, tournaments, recordings and exploitability."""

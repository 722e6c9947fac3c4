"""Matches between agents: mirrored deals, statistics, recordings, explanations of moves."""

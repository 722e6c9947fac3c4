"""Lookahead with a policy network in worlds weighted by how the opponent has played."""

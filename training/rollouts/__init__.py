"""Rollouts: collected experience, opponents, and the return of each decision."""

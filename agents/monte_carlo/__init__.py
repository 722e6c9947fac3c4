"""Flat Monte Carlo over sampled worlds."""

"""Matches in parts: files of margins, keyed by everything that they depend on, and their merging."""

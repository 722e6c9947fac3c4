"""Bots in processes of their own, which speak JSON lines over standard input and output."""

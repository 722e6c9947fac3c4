"""Bots in processes of their own: JSON lines over standard input and output."""

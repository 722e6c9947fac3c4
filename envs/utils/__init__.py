"""Utilities: kernel compilation, bit operations, checks, files, specifications, Markdown."""

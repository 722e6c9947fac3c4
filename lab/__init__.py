"""Experiments, and the commands that made and measured what ships."""

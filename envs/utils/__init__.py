"""Utilities: kernel compilation, devices, bit operations, checks of arguments, files, specifications, YAML."""

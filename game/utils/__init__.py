"""Utilities: kernel compilation, devices, bit operations, checks of arguments, files, names."""

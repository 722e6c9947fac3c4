"""Which games and training recipes have names? Rule presets (``rules/``) and recipes, as YAML package data."""

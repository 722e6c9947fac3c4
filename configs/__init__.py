"""Rule presets (``rules/``) and training recipes, as YAML package data."""

"""The trained agents that ship with the package."""

"""The `german-whist` command."""

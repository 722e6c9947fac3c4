"""What does each ``german-whist`` command do? One module per command."""

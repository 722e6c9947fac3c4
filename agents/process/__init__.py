"""How does a bot in another process play? The line protocol: JSON over standard input and output."""

"""Rule bots."""

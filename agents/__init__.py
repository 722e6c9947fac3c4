"""Everything that chooses a card."""

"""Which fixed rules play a card? The agent protocol and the bots that follow rules."""

"""How do rule-based bots choose a card? Also home of the agent protocol."""

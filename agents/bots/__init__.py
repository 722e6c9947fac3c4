"""Rule-based bots, and the agent protocol."""

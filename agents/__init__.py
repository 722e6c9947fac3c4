"""Agents: rule-based bots, Monte Carlo, policy networks, and the names they go by."""

"""Who plays: rule-based bots, Monte Carlo, trained networks, and the names they go by."""

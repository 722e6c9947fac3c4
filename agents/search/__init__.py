"""Search in sampled worlds: lookahead that improves a policy, flat Monte Carlo, and information set MCTS."""

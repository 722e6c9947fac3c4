"""Perfect information Monte Carlo: open-card search over sampled worlds."""

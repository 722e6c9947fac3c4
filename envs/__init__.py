"""German Whist as an environment: PettingZoo, Gymnasium single and vector."""

"""How is German Whist played as an RL environment? PettingZoo, Gymnasium and Gymnasium vector environments."""

"""PettingZoo, Gymnasium and Gymnasium vector environments."""

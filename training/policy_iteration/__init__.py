"""How does approximate policy iteration learn? Regression on the value of every action."""

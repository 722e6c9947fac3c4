"""What the coach says, measured: the accuracy of agents, and whether its mistakes are mistakes."""

"""Which card does best in worlds weighted by how the opponent has played? Lookahead with a policy network."""

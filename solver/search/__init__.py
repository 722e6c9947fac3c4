"""How is an endgame beyond the tables searched? Alpha-beta with a memory."""

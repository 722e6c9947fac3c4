"""How are the deals of a match shared among processes and machines? Ranges of deals, and executors that play them."""

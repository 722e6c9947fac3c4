"""How is the game stepped? Batches of deals, single deals, single matches, reset options."""

"""Which card does a tree search over a seat's information sets prefer? ISMCTS."""

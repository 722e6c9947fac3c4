"""How does the ``heuristic`` bot (the hard one) choose a card?"""

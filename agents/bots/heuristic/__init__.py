"""How does the ``heuristic`` bot choose a card?"""

"""How does the hard bot choose a card?"""

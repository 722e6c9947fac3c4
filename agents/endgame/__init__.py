"""How is an endgame with known hands played perfectly?"""

"""How strong is an agent, and what is an endgame worth?"""

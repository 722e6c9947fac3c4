"""How strong is an agent, and how much do endgames decide?"""

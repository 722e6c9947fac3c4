"""How does our own PPO learn?"""

"""How does our own PPO learn, and what runs its loop?"""

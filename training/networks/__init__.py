"""Which networks learn, and how do their weights move?"""

"""How is a figure timed and reported?"""

"""How do the commands talk to people: argument types, result tables, play-by-play, prompts?"""

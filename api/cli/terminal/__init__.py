"""How do the commands talk to people: argument types, result tables, hints and reviews, prompts?"""

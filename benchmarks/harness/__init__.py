"""How are figures timed and reported?"""

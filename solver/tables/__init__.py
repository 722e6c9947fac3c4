"""How are the values of all small endgames stored, built and found?"""

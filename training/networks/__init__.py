"""Which networks are trained, and by which optimiser and averaging?"""

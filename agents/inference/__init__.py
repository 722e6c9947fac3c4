"""Which hidden hands are consistent with what a seat has seen?"""

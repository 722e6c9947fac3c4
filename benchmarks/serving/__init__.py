"""How fast does ``german-whist serve`` answer, and does it hold many tables at once?"""

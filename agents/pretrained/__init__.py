"""Which trained agents ship with the package, and how strong are they?"""

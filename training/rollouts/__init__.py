"""How is experience collected, against whom, and what return does each decision get?"""

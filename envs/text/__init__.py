"""How is a deal, or a rule set, put in words?"""

"""How do the commands talk to a person: numbers, tables, a deal in sentences, the human player?"""

"""What do a deal, a position and the rules look like as text?"""

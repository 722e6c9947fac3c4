"""Perfect play of endgames in which both hands are known."""

"""The rules of the game: cards, dealing, state transitions, scoring, match formats, random numbers by address."""

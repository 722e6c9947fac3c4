"""What are the rules of the game? Cards, dealing, state transitions, scoring, match formats."""

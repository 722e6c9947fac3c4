"""What are the rules? Cards, dealing, state transitions, scoring."""

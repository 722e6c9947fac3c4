"""How do agents compare? Mirrored matches and their statistics, recordings, explanations of moves."""

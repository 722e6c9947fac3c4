"""How are the values of all small endgames built, stored and looked up? An endgame tablebase."""

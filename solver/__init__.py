"""What is an endgame worth when both hands are known? Exact values and best cards."""

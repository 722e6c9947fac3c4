"""How many tricks does perfect play take in an endgame with both hands known? Exact values and best cards."""

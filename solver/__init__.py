"""Perfect play in endgames with both hands known: exact values and best cards."""

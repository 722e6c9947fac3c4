"""What happens in a deal at the table, and what does a seat see of it? Events, positions, results, in words."""

"""A deal at the table as a seat sees it: events, positions and results, in words."""

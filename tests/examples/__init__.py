"""The examples run, and the table of their versions is the one that the documentation shows."""

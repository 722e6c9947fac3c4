"""Ratings from the results of all pairs: Bradley-Terry, and Nash averaging where strength cycles."""

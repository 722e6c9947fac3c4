"""Exact endgame play: tables of small endgames, and search above them."""

"""Tests of the exact endgame."""

"""Tests of the game and its environments."""

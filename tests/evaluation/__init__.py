"""Tests of matches and their statistics."""

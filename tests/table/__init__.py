"""Tests of the page without a server: its JavaScript against Python."""

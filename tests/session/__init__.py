"""Tests of sessions, without an interface."""

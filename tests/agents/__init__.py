"""Tests of the rule bots, policies and checkpoints."""

"""Sampling hidden hands that agree with what a seat has seen."""

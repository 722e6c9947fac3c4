"""Tests of the engine, its encodings and the environments."""

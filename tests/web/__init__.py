"""Tests of the server and its API, without a browser."""

"""Executors that play ranges of deals, on several processes or machines."""

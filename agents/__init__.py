"""Agents: rule bots, policy networks, search in sampled worlds, and the registry of agent names."""

"""How does a person play against an agent, without any interface? Sessions, positions in words, statistics."""

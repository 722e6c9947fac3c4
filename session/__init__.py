"""A person against an agent, without any interface: sessions, positions in words, statistics."""

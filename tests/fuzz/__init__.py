"""What happens to mutated input? It is refused in one line, or it does no harm."""

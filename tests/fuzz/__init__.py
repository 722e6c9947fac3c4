"""What happens to mutated input? One contract: refused in one line, or the same result as without the mutation."""

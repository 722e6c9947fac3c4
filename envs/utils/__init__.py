"""What does the engine build on that knows nothing of cards? Compilation, bits, checks, files, specs."""

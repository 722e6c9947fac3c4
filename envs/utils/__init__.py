"""What do the other folders build on? Kernel compilation, bit operations, checks, files, specifications, Markdown."""

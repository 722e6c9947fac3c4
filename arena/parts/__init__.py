"""How is a match stored in parts and merged? Files of margins, keyed by everything that they depend on."""

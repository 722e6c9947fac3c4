"""How is a match kept in parts and put together again? Files of margins, with what they depend on as their key."""

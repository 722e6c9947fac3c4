"""What does each address of the API answer? Requests that play, that ask the coach, and about statistics."""

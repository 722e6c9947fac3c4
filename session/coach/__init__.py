"""Which card would have been better? Hints, reviews of finished deals, and other ways to play them."""

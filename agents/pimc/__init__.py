"""Which card is best on average over sampled worlds that are searched with open cards? PIMC."""

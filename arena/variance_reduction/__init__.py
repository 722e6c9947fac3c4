"""Control variates at the draws from the stock, unbiased for any value."""

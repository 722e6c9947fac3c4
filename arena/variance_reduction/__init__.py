"""How is luck taken out of a match's result? Control variates at the draws from the stock, unbiased for any value."""

"""What is left of a run that is killed at any moment? Everything: it ends with the weights of one that was not."""

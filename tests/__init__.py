"""The tests of german_whist, one folder for each of its own."""

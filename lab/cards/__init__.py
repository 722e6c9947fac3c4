"""The cards of the web page, drawn."""

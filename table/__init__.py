"""The table in the browser: the page and the small server behind ``german-whist serve``."""

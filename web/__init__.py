"""How does a browser play? The local server: addresses, security, sessions on disk, the page's files."""

"""The local server of ``german-whist serve``: addresses, security, sessions on disk, the page's files."""

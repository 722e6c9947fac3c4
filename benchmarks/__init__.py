"""What `german-whist bench` measures."""

"""What a seat knows and its encodings: views, vectors, histories, full states."""

"""What commands share: argument types, result tables, hints and reviews, prompts."""

"""What does a deal look like as a picture? Drawing, and the render modes of the environments."""

"""What does a seat know, and how is it encoded for a network? Views, vectors, histories, full states."""

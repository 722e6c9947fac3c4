"""Pictures of a deal, and the render modes of the environments."""

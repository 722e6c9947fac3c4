"""Generators of the card pictures: an SVG sprite sheet for the page, an atlas for the renderer."""

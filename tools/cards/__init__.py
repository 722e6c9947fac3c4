"""Generators of the cards: a sprite sheet for the page, an atlas for the renderer."""

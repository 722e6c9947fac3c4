"""Commands that make or measure what ships: pictures, cards, model cards, figures of the documentation."""

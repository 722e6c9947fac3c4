"""Beliefs about hidden cards: worlds sampled from a view or a history, and weighted by the opponent's play."""

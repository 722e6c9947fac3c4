"""The two encodings of a view that networks see, and the blocks of the *universal* one.

``"observation"`` is the observation vector of one game, the one that the network was trained for. ``"universal"`` has
the blocks of every game with an open endgame (0 where a game has no such thing) and then the rules themselves, all of
them taken from the view. So one network plays every such game, also with settings that it never met in training.
"""

from __future__ import annotations

from german_whist.envs.engine.layout import BlockSpec, layout_of
from german_whist.envs.observation.blocks import VECTOR_BLOCKS

RULE_FLAGS = ("race_goal", "has_trump", "draft", "all_count")  # blocks that say which rules a deal has

# Bounds of the observation's blocks that depend on the rules: those of the classic game, in every game.
_HIGH = {"tricks": 26, "foreplay": 13, "stock": 26}

_RULES_BLOCKS = (
    BlockSpec("choice", 1, 1, "1 while the seat to act makes a choice other than a card from its hand"),
    BlockSpec("low", 1, 1, "1 if the endgame is played low: the fewest tricks win"),
    BlockSpec("race_left", 2, 13, "in a race, counted tricks still needed to end the deal: this seat, the opponent"),
    BlockSpec("race_goal", 1, 13, "counted tricks that end the deal; 0 for no race"),
    BlockSpec("has_trump", 1, 1, "1 in games with trumps"),
    BlockSpec("draft", 1, 1, "1 if the winner of a foreplay trick may leave the face-up card to the loser"),
    BlockSpec("all_count", 1, 1, "1 if foreplay tricks count too"),
    BlockSpec("open_stock", 1, 2, "number of face-up cards of the stock"),
    BlockSpec("suits", 1, 4, "suits in the deck"),
    BlockSpec("ranks", 1, 13, "ranks in each suit"),
    BlockSpec("hand_size", 1, 13, "cards in each hand when the deal begins"),
    BlockSpec("stock_size", 1, 26, "cards in the stock when the deal begins"),
)

UNIVERSAL_BLOCKS = (
    *(block._replace(high=_HIGH.get(str(block.high), block.high)) for block in VECTOR_BLOCKS),
    *_RULES_BLOCKS,
)
UNIVERSAL_LAYOUT = layout_of(UNIVERSAL_BLOCKS)

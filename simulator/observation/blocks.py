"""The blocks of the observation vector and of the full state vector, in order.

This is the only place that fixes their order: the kernels derive the position of every feature from these tables.
"""

from __future__ import annotations

from german_whist.game.cards import NUM_CARDS
from german_whist.game.layout import BlockSpec
from german_whist.game.match_format import MatchFormat, match_format_of
from german_whist.game.rules import Rules

VECTOR_BLOCKS = (
    BlockSpec("own_hand", NUM_CARDS, 1, "cards this seat holds"),
    BlockSpec("face_up", NUM_CARDS, 1, "face-up cards of the stock (one in the classic game)"),
    BlockSpec("led", NUM_CARDS, 1, "card led to the current trick, by either seat"),
    BlockSpec("played_self", NUM_CARDS, 1, "cards this seat has played, also one just led"),
    BlockSpec("played_opponent", NUM_CARDS, 1, "cards the opponent has played, also one just led"),
    BlockSpec("opponent_known", NUM_CARDS, 1, "cards the opponent was seen to take and still holds"),
    BlockSpec("own_known", NUM_CARDS, 1, "cards this seat was seen to take and still holds"),
    BlockSpec("unseen", NUM_CARDS, 1, "cards in the opponent's hand or face down, unknown which"),
    BlockSpec("trump", 4, 1, "trump suit, C D H S; all 0 without trumps"),
    BlockSpec("void_self", 4, "tricks", "by suit: last trick (from 1) in which this seat showed a void; 0 = never"),
    BlockSpec("void_opponent", 4, "tricks", "the same for the opponent"),
    BlockSpec("drawn_self", 4, "foreplay", "by suit: cards this seat has drawn unseen since it showed that void"),
    BlockSpec("drawn_opponent", 4, "foreplay", "the same for the opponent: bounds its hidden cards of the suit"),
    BlockSpec("tricks_self", 2, "tricks", "tricks this seat has taken: foreplay, endgame"),
    BlockSpec("tricks_opponent", 2, "tricks", "tricks the opponent has taken: foreplay, endgame"),
    BlockSpec("stock", 1, "stock", "cards left in the stock, face-up ones included"),
    BlockSpec("dealer", 1, 1, "1 if this seat dealt (the opponent led the first trick)"),
    BlockSpec("turn", 1, 1, "1 if this seat is to act"),
)

# Blocks that are present only if a field of ``Rules`` is set: the field, then the block.
VECTOR_OPTIONAL_BLOCKS = (
    (
        "has_choices",
        BlockSpec("choice", 1, 1, "1 if the decision due is not a card from the hand"),
    ),
    ("high_low", BlockSpec("low", 1, 1, "1 if the fewest endgame tricks win")),
    ("race", BlockSpec("race", 2, "race", "tricks needed to end the deal: this seat, the opponent")),
    ("humbug", BlockSpec("discarded", NUM_CARDS, 1, "cards this seat knows to be out of play")),
    ("humbug", BlockSpec("exchanged", 2, 1, "1 if the hand was swapped: this seat, the opponent")),
)

FULL_STATE_BLOCKS = (
    BlockSpec("hand_0", NUM_CARDS, 1, "cards seat 0 holds"),
    BlockSpec("hand_1", NUM_CARDS, 1, "the same for seat 1"),
    BlockSpec("played_0", NUM_CARDS, 1, "cards seat 0 has played, also one just led"),
    BlockSpec("played_1", NUM_CARDS, 1, "the same for seat 1"),
    BlockSpec("known_0", NUM_CARDS, 1, "cards seat 0 was seen to take and still holds"),
    BlockSpec("known_1", NUM_CARDS, 1, "the same for seat 1"),
    BlockSpec(
        "stock_order",
        NUM_CARDS,
        "stock",
        "position of card c in the stock: 1 = face up, or on top; 0 = not in the stock",
    ),
    BlockSpec("face_up", NUM_CARDS, 1, "face-up cards of the stock (one in the classic game)"),
    BlockSpec("led", NUM_CARDS, 1, "card led to the current trick"),
    BlockSpec("trump", 4, 1, "trump suit, C D H S; all 0 without trumps"),
    BlockSpec("void_0", 4, "tricks", "by suit: last trick (from 1) in which seat 0 showed a void; 0 = never"),
    BlockSpec("void_1", 4, "tricks", "the same for seat 1"),
    BlockSpec("drawn_0", 4, "foreplay", "by suit: cards seat 0 has drawn unseen since it showed that void"),
    BlockSpec("drawn_1", 4, "foreplay", "the same for seat 1"),
    BlockSpec("tricks_0", 2, "tricks", "tricks seat 0 has taken: foreplay, endgame"),
    BlockSpec("tricks_1", 2, "tricks", "the same for seat 1"),
    BlockSpec("stock", 1, "stock", "cards left in the stock, face-up ones included"),
    BlockSpec("dealer", 1, 1, "the seat that dealt"),
    BlockSpec("turn", 1, 1, "the seat to act"),
    BlockSpec("done", 1, 1, "1 if the deal is over"),
)

FULL_STATE_OPTIONAL_BLOCKS = (
    (
        "has_choices",
        BlockSpec("decision", 1, 4, "0 a card, 1 pick, 2 pick after the winner, 3 take or leave, 4 keep or swap"),
    ),
    ("high_low", BlockSpec("low", 1, 1, "1 if the fewest endgame tricks win")),
    ("humbug", BlockSpec("hidden", NUM_CARDS, 3, "in the next blind hand 1, in the other 2, in a discarded hand 3")),
)


def vector_blocks(rules: Rules, match: str | MatchFormat | None) -> tuple[BlockSpec, ...]:
    """Return the blocks of the observation vector: those of every game, those of these rules, a match's scores."""
    return _blocks(VECTOR_BLOCKS, VECTOR_OPTIONAL_BLOCKS, rules, match, "this seat's score, the opponent's")


def full_state_blocks(rules: Rules, match: str | MatchFormat | None) -> tuple[BlockSpec, ...]:
    """Return the blocks of the full state vector: those of every game, those of these rules, a match's scores."""
    return _blocks(FULL_STATE_BLOCKS, FULL_STATE_OPTIONAL_BLOCKS, rules, match, "seat 0's score, seat 1's")


def _blocks(
    always: tuple[BlockSpec, ...],
    optional: tuple[tuple[str, BlockSpec], ...],
    rules: Rules,
    match: str | MatchFormat | None,
    sides: str,
) -> tuple[BlockSpec, ...]:
    added = tuple(block for field, block in optional if getattr(rules, field))
    scores = () if match is None else (match_format_of(match).block(rules, sides),)
    return always + added + scores

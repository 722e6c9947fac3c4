"""Hints and reviews in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from german_whist.cli.terminal import wrapped
from german_whist.envs.text.card_style import UNICODE, Style, style_of
from german_whist.envs.utils.specs import count_text, percent_text

if TYPE_CHECKING:
    from german_whist.envs.engine.rules import Rules

_BAR = 20  # letters
_BLOCKS = "▁▂▃▄▅▆▇█"
_WIDTH = 72
_VALUES = 5  # cards with their values in one line


def print_hint(hint: Mapping[str, Any], rules: Rules, trump: int) -> None:
    """Print a hint: what to play and why, the value of each action, and what the opponent may hold."""
    from german_whist.envs.engine.cards import SUITS

    style = style_of(sys.stdout, trump)
    by = "" if hint["exact"] else f" by {hint['by_title']}"
    print(f"Hint{by}: {_word(hint['action'], rules, style)}.")
    print(wrapped(hint["reason"], "  "))
    for option, length in zip(hint["options"], _bars(hint["options"]), strict=True):
        bar = _sign(style, "█", "#") * length
        word = _word(option["action"], rules, style) + " " * (5 - len(option["action"]))
        trick = "" if option["trick"] is None else f"  this trick {percent_text(option['trick']):>5}"
        print(f"  {word} {option['text']:>12}  wins {percent_text(option['win']):>5}{trick} {bar}".rstrip())
    if hint["opponent_hand"] is not None:
        print(f"  opponent: {style.hand(_mask(hint['opponent_hand'], rules), rules.suits)}".rstrip())
    else:
        suits = []
        for letter in reversed(SUITS[: rules.suits]):
            suit, belief = SUITS.index(letter), hint["opponent"][letter]
            expected, void = f"{belief['expected']:.1f}", percent_text(belief["void"])
            suits.append(style.suit(suit, f"{style.signs.suits[suit]} {expected} ({void})"))
        print(f"  opponent (none): {'  '.join(suits)}")
    print(f"  {hint['by_text']}")


def _bars(options: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return the lengths of the bars of a hint: full for what gives nothing away, 1 for what gives most away."""
    lost = [option["tricks_given_away"] for option in options]
    most = max(lost)
    return [1 + round((_BAR - 1) * (1 - one / most)) if most else _BAR for one in lost]


def print_review(review: Mapping[str, Any], rules: Rules, *, every_move: bool = True) -> None:
    """Print a review.

    Args:
        review: what ``german_whist.session.coach.reviews.review`` returned.
        rules: the rules of the deal.
        every_move: print, besides the biggest mistakes, both hands, the stock, and all moves with each card's value.
    """
    from german_whist.envs.engine.cards import SUITS
    from german_whist.envs.text.scene import YOU
    from german_whist.envs.text.words import tricks_text

    trump = -1 if review["trump"] is None else SUITS.index(review["trump"])
    style = style_of(sys.stdout, trump)
    names = review["names"]
    print(f"{review['result']['text']}.")
    for side in ("you", "opponent"):
        accuracy = review["accuracy"][side]
        shown = "nothing at stake" if accuracy is None else f"accuracy {accuracy:.0f} %"
        if (like := review["plays_like"][side]) is not None:
            shown += f", like {like}"
        print(f"{names[side]}: {shown}; {tricks_text(review['tricks_given_away'][side])} given away.")
    own, par = (review[name]["tricks"]["you"] for name in ("result", "par"))
    you = "you" if names["you"] == YOU else names["you"]
    print(f"With these cards the agents take {count_text(par, 'trick')}; {you} took {own}.")
    print(f"Chance that {you} win{'' if names['you'] == YOU else 's'}: {_curve(review['win_curve'], style)}")
    for swing in review["swings"]:
        print(f"  {_points(swing['change'])}: {swing['text']}")
    if every_move:
        print()
        for line in _open_cards(review["positions"][0], names, rules, style):
            print(line)
        print("\nEach card with the tricks that it takes, and the chance to win:")
        for move in review["moves"]:
            print(_move_line(move, names, rules, style))
            for line in _values(move, rules, style):
                print(f"       {line}")
    if review["mistakes"]:
        print("\nThe biggest mistakes:")
    for number in review["mistakes"]:
        move = review["moves"][number - 1]
        better = f"{_word(move['best'], rules, style)} was better"
        print(
            f"  move {number}, {move['label']}: {_word(move['action'], rules, style)}; {better}, {_given_away(move)}."
        )
        print(wrapped(move["reason"], "    "))
        if move["line"]:
            print(wrapped(f"Best line: {' '.join(_word(card, rules, style) for card in move['line'])}", "    "))


def _given_away(move: Mapping[str, Any]) -> str:
    """Return what a move gave away: ``-0.6 tricks, -5 points``."""
    from german_whist.envs.text.words import tricks_text

    tricks = f"-{tricks_text(move['tricks_given_away'], exact=move['exact'])}"
    return f"{tricks}, {_points(-move['win_given_away'])}" if round(100 * move["win_given_away"]) else tricks


def _points(change: float) -> str:
    """Return a difference of chances in percentage points: ``+12 points``, ``-1 point``."""
    points = round(100 * change)
    return f"{points:+d} point{'' if abs(points) == 1 else 's'}"


def _open_cards(position: Mapping[str, Any], names: Mapping[str, str], rules: Rules, style: Style) -> list[str]:
    """Return the cards before the first move: both hands, and the stock in the order in which it is taken."""
    rows = []
    for side in ("you", "opponent"):
        rows.append(f"{names[side][:16]:<16}  {style.hand(_mask(position[side], rules), rules.suits)}".rstrip())
    stock = [_word(card, rules, style) for card in (*position["face_up"], *position["stock"])]
    if stock:
        rows.append(f"{'Stock':<16}  {' '.join(stock)}")
    return rows


def _values(move: Mapping[str, Any], rules: Rules, style: Style) -> list[str]:
    """Return the value of each card of a decision, and why another one was better."""
    options = move["options"]
    if len(options) < 2:
        return []
    digits = 0 if move["exact"] else 1
    words = [
        f"{_word(one['action'], rules, style)} {one['tricks']:.{digits}f} {percent_text(one['win'])}" for one in options
    ]
    lines = ["  ".join(words[start : start + _VALUES]) for start in range(0, len(words), _VALUES)]
    return lines if move["best"] == move["action"] else [*lines, move["reason"]]


def _move_line(move: Mapping[str, Any], names: Mapping[str, str], rules: Rules, style: Style) -> str:
    word = _word(move["action"], rules, style) + " " * (6 - len(move["action"]))
    line = f"{move['number']:>3}  trick {move['trick']:>2}  {names[move['by']][:16]:<16}  {word}"
    if move["best"] == move["action"]:
        return line.rstrip()
    best = _word(move["best"], rules, style) + " " * (6 - len(move["best"]))
    return f"{line}  {move['label']:<10}  better {best}  {_given_away(move)}{'  exact' if move['exact'] else ''}"


def _curve(chances: list[float], style: Style) -> str:
    """Return a line of bars, one per position; the first and the last chance in numbers."""
    start, end = percent_text(chances[0]), percent_text(chances[-1])
    if style.signs is not UNICODE:
        return f"{start} at the start, {end} at the end"
    step = max(1, -(-len(chances) // _WIDTH))
    bars = "".join(_BLOCKS[round(chance * (len(_BLOCKS) - 1))] for chance in chances[::step])
    return f"{start} {bars} {end}"


def _mask(cards: Sequence[str], rules: Rules) -> int:
    """Return cards as a mask."""
    from german_whist.envs.engine.actions import parse_action

    return sum(1 << parse_action(card, rules) for card in cards)


def _word(action: str, rules: Rules, style: Style) -> str:
    """Return an action in the style of the terminal."""
    from german_whist.envs.engine.actions import parse_action
    from german_whist.envs.engine.cards import NUM_CARDS

    number = parse_action(action, rules)
    return style.card(number) if number < NUM_CARDS else action


def _sign(style: Style, sign: str, plain: str) -> str:
    return sign if style.signs is UNICODE else plain

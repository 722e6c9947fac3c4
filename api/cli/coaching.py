"""Hints and reviews in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from german_whist.cli.terminal import wrapped
from german_whist.envs.text.card_style import UNICODE, Style, style_of

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
    print(f"Hint by {hint['by_title']}: {_word(hint['action'], rules, style)}.")
    print(wrapped(hint["reason"], "  "))
    for option, length in zip(hint["options"], _bars(hint["options"]), strict=True):
        bar = _sign(style, "█", "#") * length
        word = _word(option["action"], rules, style) + " " * (5 - len(option["action"]))
        trick = "" if option["trick"] is None else f"  this trick {option['trick']:>4.0%}"
        print(f"  {word} {option['text']:>12}  wins {option['win']:>4.0%}{trick} {bar}".rstrip())
    suits = []
    for letter in reversed(SUITS[: rules.suits]):
        suit, belief = SUITS.index(letter), hint["opponent"][letter]
        suits.append(style.suit(suit, f"{style.signs.suits[suit]} {belief['expected']:.1f} ({belief['void']:.0%})"))
    print(f"  opponent (none): {'  '.join(suits)}")
    print(f"  {hint['by_text']}")


def _bars(options: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return the lengths of the bars of a hint, from the worst action to the best: of the tricks if all win alike."""
    wins = [option["win"] for option in options]
    values = wins if len({f"{win:.0%}" for win in wins}) > 1 else [option["value"] for option in options]
    low, high = min(values), max(values)
    return [1 + round((_BAR - 1) * (value - low) / (high - low)) if high > low else _BAR for value in values]


def print_review(review: Mapping[str, Any], rules: Rules, *, every_move: bool = True) -> None:
    """Print a review.

    Args:
        review: what ``german_whist.session.coach.reviews.review`` returned.
        rules: the rules of the deal.
        every_move: print, besides the biggest mistakes, both hands, the stock, and all moves with each card's value.
    """
    from german_whist.envs.engine.cards import SUITS
    from german_whist.envs.text.scene import YOU

    trump = -1 if review["trump"] is None else SUITS.index(review["trump"])
    style = style_of(sys.stdout, trump)
    names = review["names"]
    print(f"{review['result']['text']}.")
    for side in ("you", "opponent"):
        accuracy = review["accuracy"][side]
        shown = "no choices" if accuracy is None else f"accuracy {accuracy:.1f} %"
        print(f"{names[side]}: {shown}, {review['cost'][side]:.1f} tricks given away.")
    margin = review["result"]["margin"]
    you = "you" if names["you"] == YOU else names["you"]
    print(f"The cards were worth {review['luck']:+d} tricks, as the agents play them; {you} made {margin:+d}.")
    print(f"Chance that {you} win{'' if names['you'] == YOU else 's'}: {_curve(review['win_curve'], style)}")
    if every_move:
        print()
        for line in _open_cards(review["positions"][0], names, rules, style):
            print(line)
        print("\nEach card with its tricks and chance to win:")
        for move in review["moves"]:
            print(_move_line(move, names, rules, style))
            for line in _values(move, rules, style):
                print(f"       {line}")
    if review["mistakes"]:
        print("\nThe biggest mistakes:")
    for number in review["mistakes"]:
        move = review["moves"][number - 1]
        better = f"{_word(move['best'], rules, style)} was better"
        cost = f"it cost {move['cost']:.1f} tricks, chance to win -{move['win_cost']:.0%}"
        print(f"  move {number}: {_word(move['action'], rules, style)}; {better}, {cost}. {move['reason']}")


def _open_cards(position: Mapping[str, Any], names: Mapping[str, str], rules: Rules, style: Style) -> list[str]:
    """Return the cards before the first move: both hands, and the stock in the order in which it is taken."""
    from german_whist.envs.engine.actions import parse_action

    rows = []
    for side in ("you", "opponent"):
        mask = sum(1 << parse_action(card, rules) for card in position[side])
        rows.append(f"{names[side][:16]:<16}  {style.hand(mask, rules.suits)}".rstrip())
    stock = [_word(card, rules, style) for card in (*position["face_up"], *position["stock"])]
    if stock:
        rows.append(f"{'Stock':<16}  {' '.join(stock)}")
    return rows


def _values(move: Mapping[str, Any], rules: Rules, style: Style) -> list[str]:
    """Return the value of each card of a decision, and why another one was better."""
    options = move["options"]
    if len(options) < 2:
        return []
    words = [f"{_word(one['action'], rules, style)} {one['value']:+z.1f} {one['win']:.0%}" for one in options]
    lines = ["  ".join(words[start : start + _VALUES]) for start in range(0, len(words), _VALUES)]
    return lines if move["best"] == move["action"] else [*lines, move["reason"]]


def _move_line(move: Mapping[str, Any], names: Mapping[str, str], rules: Rules, style: Style) -> str:
    word = _word(move["action"], rules, style) + " " * (6 - len(move["action"]))
    line = f"{move['number']:>3}  trick {move['trick']:>2}  {names[move['by']][:16]:<16}  {word}"
    if move["best"] == move["action"]:
        return line.rstrip()
    best = _word(move["best"], rules, style) + " " * (6 - len(move["best"]))
    exact = "  exact" if move["exact"] else ""
    return f"{line}  better {best}  -{move['cost']:.1f} tricks  -{move['win_cost']:.0%}{exact}"


def _curve(chances: list[float], style: Style) -> str:
    """Return a line of bars, one per position; the first and the last chance in numbers."""
    start, end = f"{chances[0]:.0%}", f"{chances[-1]:.0%}"
    if style.signs is not UNICODE:
        return f"{start} at the start, {end} at the end"
    step = max(1, -(-len(chances) // _WIDTH))
    bars = "".join(_BLOCKS[round(chance * (len(_BLOCKS) - 1))] for chance in chances[::step])
    return f"{start} {bars} {end}"


def _word(action: str, rules: Rules, style: Style) -> str:
    """Return an action in the style of the terminal."""
    from german_whist.envs.engine.actions import parse_action
    from german_whist.envs.engine.cards import NUM_CARDS

    number = parse_action(action, rules)
    return style.card(number) if number < NUM_CARDS else action


def _sign(style: Style, sign: str, plain: str) -> str:
    return sign if style.signs is UNICODE else plain

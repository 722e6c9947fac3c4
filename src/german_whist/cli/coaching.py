"""Hints and reviews in the terminal."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from german_whist.envs.text.card_style import UNICODE, Style, style_of
from german_whist.envs.utils.specs import percent_text

if TYPE_CHECKING:
    from german_whist.agents.judge import Advice
    from german_whist.envs.agent import Histories, Views
    from german_whist.envs.engine.rules import Rules
    from german_whist.evaluation.recording import Recording

_BAR = 20  # letters
_BLOCKS = "▁▂▃▄▅▆▇█"
_WIDTH = 72
_VALUES = 5  # cards with their values in one line
_MISTAKES = 3  # at most


def hint_of(views: Views, rules: Rules, histories: Histories | None = None) -> dict[str, Any]:
    """Return what to play, what each action is worth, and what the opponent may hold.

    Args:
        views: what the seat to act knows, a ``VIEW`` array of shape (1,).
        rules: the rules.
        histories: the event history of that view; without it a search assumes that all hands are equally likely.
    """
    from german_whist.agents.inference.belief import beliefs
    from german_whist.agents.judge import advise
    from german_whist.envs.engine.actions import action_text
    from german_whist.envs.engine.cards import SUITS, deck_text

    (advice,) = advise(views, rules, histories=histories)
    opponent = opponent_hand = None
    if advice.exact:
        opponent_hand = _high_to_low(int(views["unseen"][0] | views["opponent_known"][0]))
    else:
        belief = beliefs(views, rules)
        opponent = {
            suit: {"expected": _rounded(belief.expected[0, place]), "void": _rounded(belief.void[0, place])}
            for place, suit in enumerate(SUITS[: rules.suits])
        }
    return {
        "judge": advice.judge,
        "exact": advice.exact,
        "action": action_text(advice.actions[0], rules),
        "options": _options(advice, rules),
        "opponent": opponent,
        "opponent_hand": None if opponent_hand is None else deck_text(opponent_hand).split(),
    }


def review_of(recording: Recording, seat: int, names: tuple[str, str]) -> dict[str, Any]:
    """Return what every decision of a finished deal was worth, given what its seat knew.

    Args:
        recording: the deal.
        seat: the seat that the review calls ``you``.
        names: names of the players by seat.

    Raises:
        ValueError: if the deal cannot be replayed.
    """
    from german_whist.agents.judge import accuracy_of, advise, at_stake, judge_action
    from german_whist.envs.engine.actions import action_text
    from german_whist.envs.text.events import counted_tricks, result_text

    rules, sides = recording.rules, ("you", "opponent") if seat == 0 else ("opponent", "you")
    views, histories, end = recording.decisions()
    found = advise(views, rules, histories=histories)
    moves: list[dict[str, Any]] = []
    for number, (action, view, advice) in enumerate(zip(recording.actions, views, found, strict=True), 1):
        judged = judge_action(advice, action)
        taken = int(view["tricks_self"].sum() + view["tricks_opponent"].sum())
        best = advice.actions[0] if judged.is_criticised else action
        moves.append(
            {
                "number": number,
                "trick": taken if view["choice"] and taken else taken + 1,
                "by": sides[recording.dealer if view["dealer"] else 1 - recording.dealer],
                "action": action_text(action, rules),
                "best": action_text(best, rules),
                "label": judged.label,
                "tricks_given_away": _rounded(judged.tricks),
                "win_given_away": _rounded(judged.win),
                "exact": advice.exact,
                "judge": advice.judge,
                "win": _rounded(advice.wins[advice.actions.index(action)]),
                "options": _options(advice, rules),
            }
        )
    chosen = list(zip(found, moves, strict=True))[: recording.claimed]  # nobody chose the moves after a claim
    given_away = {side: sum(move["tricks_given_away"] for _, move in chosen if move["by"] == side) for side in sides}
    stakes = {side: sum(at_stake(advice) for advice, move in chosen if move["by"] == side) for side in sides}
    low, sign = bool(end["low"]), 1 if seat == 0 else -1
    taken_by_seat = counted_tricks(end["tricks"], rules)
    worse = [move for move in moves if move["by"] == "you" and move["best"] != move["action"]]
    worse.sort(key=lambda move: (-move["win_given_away"], -move["tricks_given_away"], move["number"]))
    return {
        "seat": seat,
        "names": {side: names[place] for place, side in enumerate(sides)},
        "trump": int(end["trump"]),
        "result": {
            "text": result_text(end["tricks"], recording.result.margin, rules, names, low=low)[1],
            "margin": sign * recording.result.margin,
            "tricks": {side: taken_by_seat[place] for place, side in enumerate(sides)},
        },
        "accuracy": {side: accuracy_of(given_away[side], stakes[side]) for side in sides},
        "tricks_given_away": {side: _rounded(given_away[side]) for side in sides},
        "win_curve": [move["win"] for move in moves if move["by"] == "you"],
        "moves": moves,
        "mistakes": [move["number"] for move in worse[:_MISTAKES]],
    }


def _options(advice: Advice, rules: Rules) -> list[dict[str, Any]]:
    """Return the legal actions with their values, the best first."""
    from german_whist.agents.judge import judge_action
    from german_whist.envs.engine.actions import action_text

    columns = zip(advice.actions, advice.tricks, advice.lost, advice.wins, advice.trick, strict=True)
    return [
        {
            "action": action_text(action, rules),
            "tricks": _rounded(tricks),
            "tricks_given_away": _rounded(max(0.0, lost)),
            "win": _rounded(win),
            "label": judge_action(advice, action).label,
            "trick": None if math.isnan(trick) else _rounded(trick),
        }
        for action, tricks, lost, win, trick in columns
    ]


def _high_to_low(mask: int) -> list[int]:
    from german_whist.envs.engine.cards import cards_of

    return list(cards_of(mask))[::-1]


def _rounded(value: float) -> float:
    return round(float(value), 3)


def print_hint(hint: Mapping[str, Any], rules: Rules, trump: int) -> None:
    """Print a hint: what to play, the value of each action, and what the opponent may hold."""
    from german_whist.envs.engine.cards import SUITS
    from german_whist.envs.text.words import tricks_text

    style = style_of(sys.stdout, trump)
    by = "both hands are known" if hint["exact"] else f"by {hint['judge']}"
    print(f"Hint, {by}: {_word(hint['action'], rules, style)}.")
    for option, length in zip(hint["options"], _bars(hint["options"]), strict=True):
        bar = _sign(style, "█", "#") * length
        word = _word(option["action"], rules, style) + " " * (5 - len(option["action"]))
        tricks = tricks_text(option["tricks"], exact=hint["exact"])
        trick = "" if option["trick"] is None else f"  this trick {percent_text(option['trick']):>5}"
        print(f"  {word} {tricks:>12}  wins {percent_text(option['win']):>5}{trick} {bar}".rstrip())
    if hint["opponent_hand"] is not None:
        print(f"  opponent: {style.hand(_mask(hint['opponent_hand'], rules), rules.suits)}".rstrip())
    else:
        suits = []
        for letter in reversed(SUITS[: rules.suits]):
            suit, belief = SUITS.index(letter), hint["opponent"][letter]
            expected, void = f"{belief['expected']:.1f}", percent_text(belief["void"])
            suits.append(style.suit(suit, f"{style.signs.suits[suit]} {expected} ({void})"))
        print(f"  opponent (none): {'  '.join(suits)}")


def _bars(options: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return the lengths of a hint's bars: full for actions that give nothing away, 1 for the worst one."""
    lost = [option["tricks_given_away"] for option in options]
    most = max(lost)
    return [1 + round((_BAR - 1) * (1 - one / most)) if most else _BAR for one in lost]


def print_review(review: Mapping[str, Any], rules: Rules, *, every_move: bool = True) -> None:
    """Print a review.

    Args:
        review: what :func:`review_of` returned.
        rules: the rules of the deal.
        every_move: whether to print all moves with each card's value besides the biggest mistakes.
    """
    from german_whist.envs.text.scene import YOU
    from german_whist.envs.text.words import tricks_text

    style, names = style_of(sys.stdout, review["trump"]), review["names"]
    print(f"{review['result']['text']}.")
    for side in ("you", "opponent"):
        accuracy = review["accuracy"][side]
        shown = "nothing at stake" if accuracy is None else f"accuracy {accuracy:.0f} %"
        print(f"{names[side]}: {shown}; {tricks_text(review['tricks_given_away'][side])} given away.")
    you = "you win" if names["you"] == YOU else f"{names['you']} wins"
    if review["win_curve"]:
        print(f"Chance that {you}: {_curve(review['win_curve'], style)}")
    if every_move:
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


def _given_away(move: Mapping[str, Any]) -> str:
    """Return what a move gave away: ``-0.6 tricks, -5 points``."""
    from german_whist.envs.text.words import tricks_text

    tricks = f"-{tricks_text(move['tricks_given_away'], exact=move['exact'])}"
    return f"{tricks}, {_points(-move['win_given_away'])}" if round(100 * move["win_given_away"]) else tricks


def _points(change: float) -> str:
    """Return a difference of chances in percentage points: ``+12 points``, ``-1 point``."""
    points = round(100 * change)
    return f"{points:+d} point{'' if abs(points) == 1 else 's'}"


def _values(move: Mapping[str, Any], rules: Rules, style: Style) -> list[str]:
    """Return the value of each card of a decision."""
    options = move["options"]
    if len(options) < 2:
        return []
    digits = 0 if move["exact"] else 1
    words = [
        f"{_word(one['action'], rules, style)} {one['tricks']:.{digits}f} {percent_text(one['win'])}" for one in options
    ]
    return ["  ".join(words[start : start + _VALUES]) for start in range(0, len(words), _VALUES)]


def _move_line(move: Mapping[str, Any], names: Mapping[str, str], rules: Rules, style: Style) -> str:
    word = _word(move["action"], rules, style) + " " * (6 - len(move["action"]))
    line = f"{move['number']:>3}  trick {move['trick']:>2}  {names[move['by']][:16]:<16}  {word}"
    if move["best"] == move["action"]:
        return line.rstrip()
    best = _word(move["best"], rules, style) + " " * (6 - len(move["best"]))
    return f"{line}  {move['label']:<10}  better {best}  {_given_away(move)}{'  exact' if move['exact'] else ''}"


def _curve(chances: list[float], style: Style) -> str:
    """Return a line of bars, one per decision; the first and the last chance in numbers."""
    start, end = percent_text(chances[0]), percent_text(chances[-1])
    if style.signs is not UNICODE:
        return f"{start} at the start, {end} at the end"
    step = max(1, -(-len(chances) // _WIDTH))
    bars = "".join(_BLOCKS[round(chance * (len(_BLOCKS) - 1))] for chance in chances[::step])
    return f"{start} {bars} {end}"


def _mask(cards: Sequence[str], rules: Rules) -> int:
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

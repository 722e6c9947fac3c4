"""A deal as text: several lines for a terminal, with both hands or one seat's view."""

from __future__ import annotations

import sys

from german_whist.game.state import ENDGAME, FOREPLAY
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.text.card_style import ASCII, BOLD, REVERSE, UNICODE, Style, style_of, terminal_has_color
from german_whist.simulator.text.scene import PLAYERS, Player, Scene, scene_of

_STAGES = {FOREPLAY: "foreplay", ENDGAME: "endgame"}
_INDENT = " " * 13
_MAX_NAME = 10  # characters
_WIDTH = 68


def deal_text(
    batch: DealBatch,
    row: int = 0,
    seat: int | None = None,
    unicode: bool | None = None,
    color: bool = False,
    scores: tuple[float, float] | None = None,
    names: tuple[str, str] = PLAYERS,
) -> str:
    """Return one deal of a batch as a few lines of text.

    Hands are sorted by suit, S H D C, from high to low. Seat 0 is at the bottom, or the seat whose view it is.

    Args:
        batch: the deals.
        row: the row of the deal.
        seat: the seat whose view to show: of the other hand, only the cards that it knows. By default both hands are
            visible.
        unicode: whether to use suit symbols and lines instead of plain ASCII; by default, if standard output can
            write them.
        color: whether to use ANSI colours: red suits red, trumps bold, face-up cards of the stock inverted.
        scores: the match scores of seats 0 and 1, if the deal is part of a match.
        names: the names of seats 0 and 1.

    Raises:
        ValueError: if there is no such row or seat.
    """
    scene = scene_of(batch, row, seat, names, scores)
    signs = style_of(sys.stdout).signs if unicode is None else UNICODE if unicode else ASCII
    style = Style(signs, color, scene.trump)
    rule = style.signs.rule * _WIDTH
    lines = [
        _header(scene, style),
        rule,
        *_player(scene, scene.far, style),
        "",
        *(_INDENT + line for line in _table(scene, style)),
        "",
        *_player(scene, scene.near, style),
        rule,
    ]
    return "\n".join(line.rstrip() for line in lines)


def print_deal(
    batch: DealBatch,
    seat: int | None = None,
    scores: tuple[float, float] | None = None,
    names: tuple[str, str] = PLAYERS,
) -> None:
    """Print the deal of a batch of one, in colour if the terminal has colours."""
    print(deal_text(batch, seat=seat, color=terminal_has_color(sys.stdout), scores=scores, names=names))


def _header(scene: Scene, style: Style) -> str:
    rules = scene.rules
    trump = f"trumps {style.suit(scene.trump, style.signs.suits[scene.trump])}" if scene.trump >= 0 else "no trumps"
    trick = f"trick {scene.trick} of {rules.tricks}"
    words = ["German Whist", trump, trick if rules.humbug else f"{_STAGES[scene.stage]}, {trick}"]
    if not rules.humbug:
        words.append(f"stock {scene.stock}" if scene.stock else "stock gone")
    if rules.high_low:
        words.append("low: fewest tricks win" if scene.low else "high: most tricks win")
    if rules.race:
        words.append(f"race to {rules.race}")
    return "   ".join(words)


def _table(scene: Scene, style: Style) -> list[str]:
    """Return the lines in the middle: the trick and the face-up cards, a choice, or the result."""
    open_cards = " ".join(style.card(card, REVERSE) for card in scene.face_up)
    if scene.done:
        lines = [f"finished: {scene.result}"]
    elif scene.non_card_decision:
        lines = [f"{scene.non_card_decision}: {open_cards}" if open_cards else scene.non_card_decision]
    else:
        led = f"{style.card(scene.led)} led" if scene.led >= 0 else "nothing led"
        prize = f"{open_cards} face up" if open_cards else ""
        if scene.stock and not open_cards:
            prize = "the stock lies face down"
        lines = [f"{led}{' ' * (16 - (6 if scene.led >= 0 else len(led)))}{prize}"]
    if scene.discarded:
        lines.append("out of play: " + style.hand(scene.discarded, scene.rules.suits))
    return lines


def _player(scene: Scene, player: Player, style: Style) -> list[str]:
    """Return a player's two lines."""
    signs, rules = style.signs, scene.rules
    hand = style.hand(player.hand, rules.suits)
    if scene.seat not in (None, player.seat):
        hand += f"+ {player.hidden} unseen"
    notes = ["dealer"] if player.dealer else []
    if rules.humbug:
        notes.append(f"tricks: {player.tricks[ENDGAME]}")
    else:
        notes.append(f"tricks: foreplay {player.tricks[FOREPLAY]}, endgame {player.tricks[ENDGAME]}")
    if rules.race:
        notes.append(f"{player.counted} of {rules.race}")
    if player.score is not None:
        notes.append(f"match {player.score:g}")
    if player.swapped is not None:
        notes.append("swapped the hand" if player.swapped else "kept the hand")
    if player.voids:
        notes.append("void of " + ", ".join(f"{style.suit(s, signs.suits[s])} (trick {t})" for s, t in player.voids))
    arrow = signs.arrow if player.turn else " "
    shown = player.name if len(player.name) <= _MAX_NAME else f"{player.name[: _MAX_NAME - 1]}{signs.cut}"
    name = style.paint(shown, *((BOLD,) if player.turn else ()))
    return [
        f"{arrow} {name}{' ' * (len(_INDENT) - 2 - len(shown))}{hand}",
        _INDENT + f" {signs.dot} ".join(notes),
    ]

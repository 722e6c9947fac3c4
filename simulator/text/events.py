"""Events of a deal in words, as one seat sees them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from german_whist.game.cards import NUM_CARDS, SUIT_NAMES, cards_of
from german_whist.game.rules import Rules
from german_whist.game.state import EXCHANGE, NON_CARD_ACTIONS, PLAY
from german_whist.simulator.text.scene import clause
from german_whist.simulator.text.words import card_name, count_text, the_cards


def sentence(name: str, words: str) -> str:
    """Return a sentence about a player; the arguments are those of :func:`clause`."""
    return f"{clause(name, words)}."


def counted_tricks(tricks: npt.ArrayLike, rules: Rules) -> tuple[int, int]:
    """Return the counted tricks of seats 0 and 1 from tricks by stage and seat, int[2, 2]."""
    counted = np.asarray(tricks)[0 if rules.counts == "all" else 1 :]
    first, second = counted.sum(axis=0).tolist()
    return first, second


def result_text(tricks: npt.ArrayLike, margin: float, rules: Rules, names: tuple[str, str], *, low: bool) -> str:
    """Return the result of a deal in words: ``You win 8 to 5``.

    Args:
        tricks: tricks by stage and seat, int[2, 2].
        margin: the margin of seat 0.
        rules: the rules.
        names: names of the players by seat; ``You`` is addressed in the second person.
        low: whether the endgame was played low.
    """
    taken = counted_tricks(tricks, rules)
    if not margin:
        return f"The deal is drawn, {count_text(taken[0], 'trick')} each"
    winner = 0 if margin > 0 else 1
    text = clause(names[winner], f"win{{s}} {taken[winner]} to {taken[1 - winner]}")
    return f"{text}, played low" if low else text


def result_sentence(
    tricks: npt.ArrayLike, margin: float, points: float, rules: Rules, names: tuple[str, str], *, low: bool
) -> str:
    """Return the result with the winner's points: ``You win 8 to 5: 3 points.``. ``points`` are seat 0's."""
    text = result_text(tricks, margin, rules, names, low=low)
    return f"{text}." if not margin else f"{text}: {count_text(abs(points), 'point')}."


def first_events(rules: Rules, state: np.void, names: tuple[str, str]) -> Iterator[str]:
    """Yield the events before the first action as sentences: who deals, trumps, cards turned up.

    Args:
        rules: the rules.
        state: the state before the first action, a ``STATE`` record.
        names: names of the players by seat; ``You`` is addressed in the second person.
    """
    dealer, trump = int(state["dealer"]), int(state["trump"])
    yield sentence(names[dealer], "deal{s}")
    turned: int | None = None
    if rules.humbug:
        turned = int(state["deck"][len(rules.cards) - 1])
        shown = f"The last card, {the_cards([turned])}, is shown"
    elif rules.open_stock:
        turned = int(state["deck"][2 * rules.hand])
        shown = f"The {card_name(turned)} is turned up"
    text = f"{shown}: {SUIT_NAMES[trump]} are trumps." if trump >= 0 else "There are no trumps."
    if rules.humbug and trump < 0:
        text = f"{shown}. {text}"
    if rules.high_low:
        text += " The endgame is played low: the fewest tricks win." if state["low"] else " The endgame is played high."
    yield text
    for card in cards_of(int(state["face_up"])):
        if card != turned or trump < 0:
            yield f"The {card_name(card)} is turned up."


def action_events(
    rules: Rules, before: np.void, after: np.void, action: int, observer: int | None, names: tuple[str, str]
) -> Iterator[str]:
    """Yield the events of one action, each as a sentence.

    Args:
        rules: the rules.
        before: the state before it, a ``STATE`` record.
        after: the state after it.
        action: the action.
        observer: the seat that sees the events; ``None`` sees every card.
        names: names of the players by seat; ``You`` is addressed in the second person.
    """
    actor, decision = int(before["turn"]), int(before["decision"])
    if action >= NUM_CARDS:
        words = next(one.clause for one in NON_CARD_ACTIONS if (one.decision, one.number) == (decision, action))
        open_card = next(map(card_name, cards_of(int(before["face_up"]))), "")
        if words:
            yield sentence(names[actor], words.replace("{card}", open_card))
        if decision == EXCHANGE:  # a blind hand is not shown
            return
    if decision == PLAY:
        verb = "lead{s}" if before["led"] < 0 else "play{s}"
        yield sentence(names[actor], f"{verb} the {card_name(action)}")
        if after["led"] >= 0:
            return
        yield sentence(names[int(after["winner"])], "win{s} the trick")
    yield from _drawing(before, after, observer, names)
    for card in cards_of(int(after["face_up"] & ~before["face_up"])):
        yield f"The {card_name(card)} is turned up."
    if _stock(rules, before) and not _stock(rules, after):
        leader = names[int(after["turn"])]
        yield f"The stock is gone: the endgame begins. {sentence(leader, 'lead{s}')}"


def _drawing(before: np.void, after: np.void, observer: int | None, names: tuple[str, str]) -> Iterator[str]:
    """Yield the cards that both seats get from the stock, the winner of the trick first."""
    for seat in (int(after["winner"]), 1 - int(after["winner"])):
        gained = int(after["hands"][seat] & ~before["hands"][seat])
        seen = int(after["known"][seat]) & gained
        for card in cards_of(seen):
            yield sentence(names[seat], f"take{{s}} the {card_name(card)}")
        for card in cards_of(gained & ~seen):
            words = f"draw{{s}} the {card_name(card)}" if observer in (None, seat) else "draw{s} a card unseen"
            yield sentence(names[seat], words)


def _stock(rules: Rules, state: np.void) -> int:
    """Return the number of cards left in the stock."""
    return int(state["face_up"]).bit_count() + len(rules.cards) - int(state["top"])

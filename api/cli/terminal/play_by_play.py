"""A deal in sentences: who plays, wins and takes which card."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from german_whist.arena.recording import DealResult
    from german_whist.envs.engine.rules import Rules

YOU = "you"


def describe_action(
    before: Any, after: Any, action: int, rules: Rules, names: Sequence[str], seat: int | None = None
) -> list[str]:
    """Return sentences that describe what an action did.

    Args:
        before: the state in which the action was chosen, a ``STATE`` record.
        after: the state after the action.
        action: number of the action.
        rules: the rules of the game.
        names: names of the players, by seat; ``"you"`` is addressed in the second person.
        seat: the seat for which to describe it: cards that it did not see drawn are not named. ``None`` names all.
    """
    from german_whist.envs.engine.actions import action_text
    from german_whist.envs.engine.cards import cards_of, deck_text
    from german_whist.envs.engine.state import DRAFT, EXCHANGE, LEAVE, PLAY, SWAP

    actor = int(before["turn"])
    if before["decision"] == EXCHANGE:
        words = "swap{s} the hand for a blind one" if action == SWAP else "keep{s} the hand"
        return [_sentence(names[actor], words)]
    sentences = []
    if before["decision"] == PLAY:
        sentences.append(_sentence(names[actor], f"play{{s}} {action_text(action, rules)}"))
        if after["led"] < 0:
            sentences.append(_sentence(names[int(after["winner"])], "win{s} the trick"))
    elif before["decision"] == DRAFT and action == LEAVE:
        sentences.append(_sentence(names[actor], f"leave{{s}} {deck_text(cards_of(int(before['face_up'])))}"))
    for who in (int(after["winner"]), 1 - int(after["winner"])):
        seen = int(after["known"][who] & ~before["known"][who])
        unseen = int(after["hands"][who] & ~before["hands"][who]) & ~seen
        if seen:
            sentences.append(_sentence(names[who], f"take{{s}} {deck_text(cards_of(seen))}"))
        if unseen:
            card = deck_text(cards_of(unseen)) if seat in (None, who) else "a card"
            sentences.append(_sentence(names[who], f"draw{{s}} {card} unseen"))
    return sentences


def describe_result(result: DealResult, names: Sequence[str], rules: Rules, low: bool) -> str:
    """Return a sentence that says who won a deal, by how many counted tricks, and the points."""
    stages = result.tricks if rules.counts == "all" else result.tricks[1:]
    taken = [sum(stage[seat] for stage in stages) for seat in range(2)]
    if not result.margin:
        return f"The deal is drawn, {taken[0]} {'trick' if taken[0] == 1 else 'tricks'} each: no points."
    winner = 0 if result.margin > 0 else 1
    points = abs(result.points)
    scored = f"{points:g} point{'' if points == 1 else 's'}"
    played = "played low, " if low else ""
    return _sentence(
        names[winner], f"win{{s}} the deal, {played}{taken[winner]} tricks to {taken[1 - winner]}: {scored}"
    )


def _sentence(name: str, words: str) -> str:
    text = f"{name} {words.format(s='' if name == YOU else 's')}."
    return text[0].upper() + text[1:] if name == YOU else text

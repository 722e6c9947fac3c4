"""Why an action is advised, in a sentence or two: written from the position and from the values of the actions."""

from __future__ import annotations

from typing import Any

from german_whist.agents.judge import SAME, SAME_WIN, SURE, Advice
from german_whist.envs.engine.cards import SUIT_MASKS, SUIT_NAMES, SUIT_SIZE, cards_of
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.state import LEAVE, SWAP
from german_whist.envs.text.decisions import stake_text
from german_whist.envs.text.words import action_name, card_name, join_words, the_cards, tricks_text
from german_whist.envs.utils.specs import percent_text

_LIKELY, _UNLIKELY = 0.7, 0.3


def reason(view: Any, rules: Rules, advice: Advice) -> str:
    """Return why the best action is the best, in words.

    Args:
        view: what the seat to act knows, a ``VIEW`` record.
        rules: the rules.
        advice: the values of its actions.
    """
    best = advice.actions[0]
    if len(advice.actions) == 1:
        return f"There is no choice: {action_name(best, rules)}."
    if advice.exact:
        return _exact_reason(view, rules, advice)
    if view["choice"]:
        return _choice_reason(view, rules, advice)
    sentences = (_trick_reason(view, advice), stake_text(view, rules), _others(rules, advice))
    return " ".join(filter(None, sentences))


def _exact_reason(view: Any, rules: Rules, advice: Advice) -> str:
    """Both hands are known: the final score after the best cards and after the others."""
    scores = [f"{own:g} to {theirs:g}" for own, theirs in zip(advice.tricks, advice.opponent_tricks, strict=True)]
    worse = [place for place, lost in enumerate(advice.lost) if lost > 0]
    left = int(view["hand"]).bit_count()
    start = "Both hands are known:"
    if not worse:
        return f"{start} with best play every card ends the same, {scores[0]}."
    best = [action for action, lost in zip(advice.actions, advice.lost, strict=True) if not lost]
    names = [action_name(action, rules) for action in best]
    if left > 1 and len(names) > 3:
        names = [*names[:2], f"{len(names) - 2} more"]
    verb = "ends" if len(names) == 1 else "end"
    other = "any other" if len({scores[place] for place in worse}) == 1 else "the next best"
    return f"{start} the {join_words(names)} {verb} {scores[0]}, {other} {scores[worse[0]]}."


def _choice_reason(view: Any, rules: Rules, advice: Advice) -> str:
    best, gain = advice.actions[0], advice.lost[1]
    worth = f"about {tricks_text(gain)} better" if gain >= SAME else "about as good as the other choice"
    if gain < SAME and advice.wins[0] - advice.wins[1] >= SAME_WIN:
        worth = "better for winning the deal"
    if rules.humbug:
        hand = "An average blind hand" if best == SWAP else "Your hand"
        return f"{hand} is {worth if gain < SAME else f'{worth} than {_other_hand(best)}'}."
    if rules.draft:
        card = card_name(next(cards_of(int(view["face_up"]))))
        if best == LEAVE:
            return f"The {card} is worth less to you than the unknown card under it: leaving it is {worth}."
        return f"The {card} is worth more to you than the unknown card under it: taking it is {worth}."
    trump = " It is a trump." if best // SUIT_SIZE == view["trump"] else ""
    return f"Of the face-up cards the {card_name(best)} does most for your hand: it is {worth}.{trump}"


def _other_hand(best: int) -> str:
    return "yours" if best == SWAP else "an average blind hand"


def _trick_reason(view: Any, advice: Advice) -> str:
    """What the best card does in this trick, and what for."""
    best = advice.actions[0]
    chance, follows = advice.trick[0], view["led"] >= 0
    prize = _prize(view)
    card = f"the {card_name(best)}"
    if follows and chance > _LIKELY:
        how = _how_it_wins(view, best, advice)
        return f"{_start(card)} wins {prize or 'the trick'}{how}."
    if follows:
        if not any(trick > _LIKELY for trick in advice.trick):
            return f"You cannot win this trick: {card} is the card that you miss least."
        if view["stock"]:
            return f"{_start(prize or 'the trick')} is not worth a card that wins: throw {card}."
        return f"Losing this trick with {card} is better than winning it."
    return _lead_reason(view, card, best, chance, prize)


def _how_it_wins(view: Any, best: int, advice: Advice) -> str:
    suit = int(view["led"]) // SUIT_SIZE
    if best // SUIT_SIZE != suit:
        return f" by trumping: you have no {SUIT_NAMES[suit]}"
    winners = [a for a, chance in zip(advice.actions, advice.trick, strict=True) if chance > _LIKELY]
    if len(winners) > 1 and best == min(a for a in winners if a // SUIT_SIZE == suit):
        return ", just high enough"
    return ""


def _lead_reason(view: Any, card: str, best: int, chance: float, prize: str) -> str:
    suit = best // SUIT_SIZE
    if view["stock"]:
        share = percent_text(chance)
        if chance > _LIKELY:
            return f"Lead {card} to win {prize or 'the trick'}: it holds in {share} of the hands that are possible."
        if chance < _UNLIKELY:
            return f"{_start(prize or 'This trick')} is not worth a high card: lead {card} and let the trick go."
        return f"Lead {card}: it wins {prize or 'the trick'} against about {share} of the possible hands."
    length = (int(view["hand"]) & SUIT_MASKS[suit]).bit_count()
    if suit == view["trump"]:
        return f"Lead {card} to draw trumps."
    return f"Lead {card}, {'your only card' if length == 1 else f'from {length} cards'} of {SUIT_NAMES[suit]}."


def _prize(view: Any) -> str:
    cards = list(cards_of(int(view["face_up"])))
    return the_cards(cards) if len(cards) == 1 else "the pick of the open cards" if cards else ""


def _start(text: str) -> str:
    return text[0].upper() + text[1:]


def _others(rules: Rules, advice: Advice) -> str:
    """How far behind the next best action is."""
    second, lost, win = action_name(advice.actions[1], rules), advice.lost[1], advice.wins[0] - advice.wins[1]
    if win < 0 or (abs(lost) < SAME and win < SAME_WIN):
        return f"The {second} is about as good."
    if lost >= SAME:
        if lost <= SURE * advice.lost_errors[1] and win <= SURE * advice.win_errors[1]:
            return f"The {second} is hardly worse."
        return f"The next best, the {second}, gives away about {tricks_text(lost)}."
    more = f"takes about {tricks_text(-lost)} more" if lost <= -SAME else "takes as many tricks"
    return f"The {second} {more}, but wins the deal less often."

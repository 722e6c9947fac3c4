"""Agents with a perfect endgame."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from german_whist.agents.bots.heuristic.endgame_kernels import card_rollout_margin
from german_whist.agents.bots.random import RandomBot
from german_whist.agents.endgame.exact_agent import ExactEndgame
from german_whist.agents.endgame.open_hands import opponent_hand_known
from german_whist.agents.registry import make_agent
from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.engine.state import ENDGAME
from german_whist.envs.observation.views import VIEW
from german_whist.envs.simulator.batch import DealBatch
from german_whist.evaluation.match import play_match
from tests.conftest import play_randomly
from tests.envs.players import Lowest
from tests.reference.plain import NAMES, NUMBERS, cards
from tests.solver.brute_force import card_values, follower_wins, may_play, race_card_margins, without

Hand = list[str]


def in_order(mask: int) -> Hand:
    return [name for name in NAMES if name in cards(mask)]


def neighbours_dropped(hand: Hand, other: Hand, led: str | None, some: Hand) -> Hand:
    """Of cards of one hand with no card of the other's between them, the lowest."""
    kept = []
    for card in some:
        lower = [one for one in hand if one[0] == card[0] and NUMBERS[one] < NUMBERS[card]]
        rivals = [one for one in [*other, led] if one and NUMBERS[one] < NUMBERS[card]]
        if all(any(NUMBERS[low] < NUMBERS[rival] for rival in rivals) for low in lower):
            kept.append(card)
    return kept


def margins(own: Hand, other: Hand, led: str | None, trump: str | None, low: bool) -> dict[str, int]:
    """The value of each card to the seat to act, by brute force."""
    leader, follower = (own, other) if led is None else (other, own)
    sign = -1 if low else 1
    return {
        card: sign * (2 * tricks - len(own)) for card, tricks in card_values(leader, follower, trump, low, led).items()
    }


def best_of(own: Hand, other: Hand, led: str | None, trump: str | None, low: bool) -> Hand:
    values = margins(own, other, led, trump, low)
    return neighbours_dropped(
        own, other, led, [card for card in own if card in values and values[card] == max(values.values())]
    )


def random_reply_margin(card: str, own: Hand, other: Hand, led: str | None, trump: str | None, low: bool) -> float:
    """The mean over the opponent's next choice, as the docstring of ``agents.endgame.open_hands`` says it."""
    rest = without(own, card)
    trick, taken = 0, True
    if led is None:
        theirs = margins(other, rest, card, trump, low)
        choices = neighbours_dropped(other, rest, card, may_play(other, card))
    else:
        taken = follower_wins(led, card, trump)
        trick = 1 if taken != low else -1
        if not rest:
            return trick
        if taken:
            return trick + max(
                random_reply_margin(lead, rest, other, None, trump, low)
                for lead in best_of(rest, other, None, trump, low)
            )
        theirs = margins(other, rest, None, trump, low)
        choices = neighbours_dropped(other, rest, None, other)
    return trick - sum(theirs[one] for one in choices) / len(choices)


def expected_card(own: Hand, other: Hand, led: str | None, trump: str | None, low: bool) -> str:
    best = best_of(own, other, led, trump, low)
    if margins(own, other, led, trump, low)[best[0]] == len(own):
        return best[0]

    def by_rules(card: str) -> int:
        masks = [np.uint64(sum(1 << NUMBERS[one] for one in hand)) for hand in (own, other)]
        return int(
            card_rollout_margin(
                NUMBERS[card], *masks, -1 if led is None else NUMBERS[led], "CDHS".index(trump) if trump else -1, low
            )
        )

    return max(
        best, key=lambda card: (by_rules(card), round(random_reply_margin(card, own, other, led, trump, low), 6))
    )


def position_of(seen: Any) -> tuple[Hand, Hand, str | None, str | None, bool]:
    """Both hands, the card led, trumps, and whether low wins, of a view of an open endgame."""
    led = NAMES[seen["led"]] if seen["led"] >= 0 else None
    trump = "CDHS"[seen["trump"]] if seen["trump"] >= 0 else None
    return in_order(seen["hand"]), in_order(seen["unseen"] | seen["opponent_known"]), led, trump, bool(seen["low"])


def endgames(rules: str, size: int, seed: int, steps: int) -> DealBatch:
    """Deals after so many random actions of their endgame, those that are over left out."""
    batch = DealBatch(rules, size, seed)
    play_randomly(batch, np.random.default_rng(seed), 2 * batch.rules.foreplay + steps)
    return batch


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 5])
@pytest.mark.parametrize(
    "rules",
    [
        "classic:suits=4,ranks=3,hand=5,stock=2",
        "classic:suits=2,ranks=6,hand=5,stock=2",
        "classic:suits=4,ranks=3,hand=5,stock=2,trump=none",
        "classic:suits=3,ranks=4,hand=5,stock=2,high_low=true",
        "classic:suits=4,ranks=3,hand=5,stock=2,trump=none,high_low=true",
    ],
)
def test_plays_the_best_card_selected_by_the_tie_break(rules: str, steps: int) -> None:
    batch = endgames(rules, 8, 3, steps)
    views = batch.views()
    assert opponent_hand_known(views).all()
    chosen = ExactEndgame(Lowest()).act(views, None)
    not_the_lowest = 0
    for row, seen in enumerate(views):
        position = position_of(seen)
        values, card = margins(*position), NAMES[chosen[row]]
        assert values[card] == max(values.values())
        assert card == expected_card(*position), position
        not_the_lowest += card != best_of(*position)[0]
    assert not_the_lowest > 0 or steps > 0  # later few cards are equally good


@pytest.mark.parametrize("steps", [0, 1, 2, 3])
@pytest.mark.parametrize(
    "rules",
    ["classic:suits=4,ranks=3,hand=4,stock=4,race=2", "classic:suits=3,ranks=4,hand=4,stock=4,counts=all,race=4"],
)
def test_in_a_race_it_plays_for_the_margin_at_which_the_deal_stops(rules: str, steps: int) -> None:
    batch = endgames(rules, 30, 7, steps)
    batch_rules = batch.rules
    going = np.flatnonzero(~batch.done)
    assert len(going) > 5
    views = batch.views(going)
    chosen = ExactEndgame(Lowest()).act(views, None)
    matters = 0
    for seen, number in zip(views, chosen, strict=True):
        own, other, led, trump, _ = position_of(seen)
        stages = slice(None) if batch_rules.counts == "all" else slice(ENDGAME, None)
        needs = [batch_rules.race - int(seen[name][stages].sum()) for name in ("tricks_self", "tricks_opponent")]
        pair = (needs[0], needs[1]) if led is None else (needs[1], needs[0])
        leader, follower = (own, other) if led is None else (other, own)
        values = race_card_margins(leader, follower, trump, pair, led)
        assert values[NAMES[number]] == max(values.values())
        matters += min(values.values()) < max(values.values())
    assert matters > 0


@pytest.mark.parametrize("name", ["heuristic", "random"])
def test_while_hands_are_hidden_the_agent_itself_plays(name: str) -> None:
    agent = make_agent(name)
    batch = DealBatch("classic", 64, seed=2)
    step = 0
    while not (endgame := batch.views()["stock"] == 0).any():
        assert not opponent_hand_known(batch.views()).any()
        actions = agent.act(batch.views(), AgentRng(5, np.arange(64), step=step))
        exact = ExactEndgame(make_agent(name)).act(batch.views(), AgentRng(5, np.arange(64), step=step))
        np.testing.assert_array_equal(actions, exact)
        batch.step(actions)
        step += 1
    assert endgame.all()
    assert opponent_hand_known(batch.views()).all()


def test_a_hand_that_hides_behind_blinds_is_not_known() -> None:
    batch = DealBatch("humbug", 40, seed=1)
    bot = make_agent("heuristic+exact")
    plain = make_agent("heuristic")
    while not batch.done.all():
        going = np.flatnonzero(~batch.done)
        views = batch.views(going)
        assert not opponent_hand_known(views).any()
        actions = bot.act(views, None)
        np.testing.assert_array_equal(actions, plain.act(views, None))
        batch.step(actions, rows=going)


def test_hands_too_large_to_solve_are_left_to_the_agent() -> None:
    batch = endgames("classic:hand=15,stock=22", 8, 3, 0)
    assert not opponent_hand_known(batch.views()).any()
    play_randomly(batch, np.random.default_rng(0), 4)
    assert opponent_hand_known(batch.views()).all()
    assert play_match("random+exact", "random", deals=4, rules="classic:hand=25,stock=2").wins >= 4


def mixed_views() -> np.ndarray[Any, Any]:
    """Views of every stage, of high, low and race games, in one array."""
    parts = [
        endgames(rules, 10, 5, steps).views()
        for rules in ("classic:hand=5,stock=42,high_low=true", "classic:hand=5,stock=42", "tiny:race=2")
        for steps in (-3, 0, 1, 2)
    ]
    together = np.concatenate(parts).astype(VIEW)
    return together[together["turn"] == 1]


def test_cards_do_not_depend_on_the_batch() -> None:
    views = mixed_views()
    known = opponent_hand_known(views)
    assert 20 < known.sum() < len(views) - 20
    bot = ExactEndgame(RandomBot())
    indices = np.arange(len(views), dtype=np.uint64)
    together = bot.act(views, AgentRng(8, indices))
    rng = np.random.default_rng(0)
    for _ in range(5):
        order = rng.permutation(len(views))
        for rows in np.array_split(order, rng.integers(1, 40)):
            np.testing.assert_array_equal(bot.act(views[rows], AgentRng(8, indices[rows])), together[rows])


@pytest.mark.parametrize("rules", ["small", "classic:ranks=7,hand=7,stock=14,high_low=true", "small:trump=none"])
def test_a_perfect_endgame_adds_to_a_bot(rules: str) -> None:
    result = play_match("heuristic+exact", "heuristic", deals=600, seed=1, rules=rules)
    assert result.margin_interval[0] > 0

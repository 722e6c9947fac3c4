"""Agents with a perfect endgame."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from german_whist.agents.asking import ask
from german_whist.agents.base import Agent, Evaluation
from german_whist.agents.bots.heuristic.endgame_kernels import card_rollout_margin
from german_whist.agents.endgame.exact_agent import ExactEndgame, with_exact_endgame
from german_whist.agents.endgame.open_hands import opponent_hand_known
from german_whist.agents.registry import make_agent
from german_whist.game.agent_rng import AgentRng
from german_whist.game.state import ENDGAME
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.decisions import Decisions
from tests.players import Lowest, play_randomly
from tests.reference.game import follower_wins
from tests.reference.plain import NAMES, cards
from tests.solver.brute_force import card_values, race_card_margins

Hand = list[str]


def in_order(mask: int) -> Hand:
    return [name for name in NAMES if name in cards(mask)]


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
        "classic:suits=4,ranks=3,hand=4,stock=4",
        "classic:suits=2,ranks=6,hand=5,stock=2,trump=none",
        "classic:suits=3,ranks=4,hand=4,stock=4,high_low=true",
        "classic:suits=4,ranks=3,hand=4,stock=4,race=2",
        "classic:suits=3,ranks=4,hand=4,stock=4,counts=all,race=4",
    ],
)
def test_exact_agent_plays_best_card(rules: str, steps: int) -> None:
    batch = endgames(rules, 30, 7, steps)
    decisions = batch.decisions()
    chosen = ExactEndgame(Lowest()).act(decisions)
    matters = 0
    for seen, number in zip(decisions.views, chosen, strict=True):
        own, other, led, trump, low = position_of(seen)
        leader, follower = (own, other) if led is None else (other, own)
        if batch.rules.race:
            stages = slice(None) if batch.rules.counts == "all" else slice(ENDGAME, None)
            needs = [batch.rules.race - int(seen[name][stages].sum()) for name in ("tricks_self", "tricks_opponent")]
            values = race_card_margins(leader, follower, trump, tuple(needs if led is None else needs[::-1]), led)  # type: ignore[arg-type]
        else:
            values = card_values(leader, follower, trump, low, led)
        best = (min if low else max)(values.values())
        assert values[NAMES[number]] == best
        matters += len(set(values.values())) > 1
    assert matters > 0 or steps == 5


def margins_of(own: Hand, other: Hand, led: str | None, trump: str | None, low: bool) -> dict[str, int]:
    """The margin of the seat to act after each of its distinct cards; more is better."""
    leader, follower = (own, other) if led is None else (other, own)
    values = card_values(leader, follower, trump, low, led)
    margins = {card: (1 - 2 * low) * (2 * tricks - len(own)) for card, tricks in values.items()}
    foreign = [*other, led] if led else other
    run: str | None = None
    for card in sorted(margins, key=NAMES.index):  # the lowest stands for all cards with no foreign one between them
        between = NAMES[NAMES.index(run) : NAMES.index(card)] if run else []
        if run and run[0] == card[0] and not set(between) & set(foreign):
            del margins[card]
        run = card
    return margins


def random_reply_margin(card: str, own: Hand, other: Hand, led: str | None, trump: str | None, low: bool) -> float:
    """The mean margin of a card if the opponent's next choice is random, and all others are perfect."""
    rest = [one for one in own if one != card]
    if led is None:
        return -float(np.mean(list(margins_of(other, rest, card, trump, low).values())))
    won = follower_wins(led, card, trump)
    reward = 1 if won != low else -1
    if not rest:
        return reward
    if not won:
        return reward - float(np.mean(list(margins_of(other, rest, None, trump, low).values())))
    margins = margins_of(rest, other, None, trump, low)
    best = max(margins.values())
    if best == len(rest):
        return reward + best
    perfect = (one for one, margin in margins.items() if margin == best)
    return reward + max(random_reply_margin(one, rest, other, None, trump, low) for one in perfect)


@pytest.mark.parametrize(
    "rules", ["classic:suits=4,ranks=4,hand=5,stock=6", "classic:suits=4,ranks=4,hand=5,stock=6,high_low=true"]
)
def test_of_perfect_cards_the_one_is_played_that_gains_most_by_errors(rules: str) -> None:
    decisions = endgames(rules, 60, 3, 0).decisions()
    chosen = ExactEndgame(Lowest()).act(decisions)
    by_replies = 0
    for seen, number in zip(decisions.views, chosen, strict=True):
        own, other, led, trump, low = position_of(seen)
        margins = margins_of(own, other, led, trump, low)
        perfect = [card for card, margin in margins.items() if margin == max(margins.values())]
        if max(margins.values()) < len(own):
            hands = seen["hand"], seen["unseen"] | seen["opponent_known"]
            played = [
                card_rollout_margin(NAMES.index(card), *hands, int(seen["led"]), int(seen["trump"]), low)
                for card in perfect
            ]
            perfect = [card for card, margin in zip(perfect, played, strict=True) if margin == max(played)]
            gains = [round(random_reply_margin(card, own, other, led, trump, low), 9) for card in perfect]
            perfect = [card for card, gain in zip(perfect, gains, strict=True) if gain == max(gains)]
            by_replies += len(set(gains)) > 1
        assert NAMES[number] == perfect[0]
    assert by_replies > 3


@pytest.mark.parametrize("name", ["heuristic", "random"])
def test_hidden_hands_are_left_to_agent(name: str) -> None:
    agent = make_agent(name)
    batch = DealBatch("classic", 64, seed=2)
    step = 0
    while not (endgame := batch.views()["stock"] == 0).any():
        assert not opponent_hand_known(batch.views()).any()
        actions, exact = (
            one.act(batch.decisions(rng=AgentRng(5, np.arange(64), step=step))) for one in (agent, ExactEndgame(agent))
        )
        np.testing.assert_array_equal(actions, exact)
        batch.step(actions)
        step += 1
    assert endgame.all()
    assert opponent_hand_known(batch.views()).all()


class Cached(Agent):
    """Plays its lowest card, on a device too, and always answers with the same array of probabilities."""

    takes_tensors = True
    evaluates = frozenset({"policy"})

    def __init__(self) -> None:
        self.chances = np.full((64, 52), 0.5)
        self.backends: list[Any] = []

    def evaluate(self, decisions: Decisions, *fields: Any) -> Evaluation:
        return Evaluation(policy=self.chances)

    def act(self, decisions: Decisions[Any]) -> Any:
        self.backends.append(decisions.backend)
        return decisions.backend.array(decisions.action_masks.int().argmax(1))


def test_name_is_refused_with_the_one_to_write() -> None:
    with pytest.raises(ValueError, match=r"make_agent\('heuristic\+exact'\)"):
        with_exact_endgame("heuristic")  # type: ignore[arg-type]


def test_values_belong_to_their_actions() -> None:
    decisions = endgames("small", 64, 1, 0).decisions()
    agent = make_agent("champion", "small")
    found = agent.evaluate(decisions, "values").values
    assert found is not None
    np.testing.assert_array_equal(found.actions, agent.act(decisions))
    both, alone = (
        agent.evaluate(decisions, *fields).action_values for fields in (("values", "action_values"), ("action_values",))
    )
    np.testing.assert_equal(both, alone)


def test_policy_leaves_the_agents_array() -> None:
    agent, decisions = Cached(), endgames("classic", 64, 2, 0).decisions()
    chances = ExactEndgame(agent).evaluate(decisions, "policy").policy
    assert chances is not None
    assert (chances.sum(axis=1) == 1).all()
    assert (agent.chances == 0.5).all()


def test_agent_chooses_on_its_device() -> None:
    agent, host, batch = Cached(), DealBatch("small", 8, seed=3), DealBatch("small", 8, seed=3, device="cpu")
    while not host.done.all():
        actions = ExactEndgame(Lowest()).act(host.decisions())
        assert ask(ExactEndgame(agent), batch.decisions()).tolist() == actions.tolist()
        host.step(actions)
        batch.step(batch.backend.array(actions))
    assert agent.backends == [batch.backend] * 2 * host.rules.foreplay

"""A network plays the game that it was trained for, and refuses every other."""

from __future__ import annotations

import numpy as np
import pytest

from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.game_check import check_same_game
from german_whist.envs.engine.rules import rule_names, rules
from german_whist.envs.simulator.batch import DealBatch
from tests.agents.networks import some_network
from tests.conftest import play_randomly

# Games whose deals are deals of another game too: it may be played in them.
ALSO = {
    ("classic", "seventh"),  # these only score otherwise
    ("seventh", "classic"),
    ("high_low", "classic"),  # its high deals
    ("high_low", "seventh"),
}


def is_refused(own: str, shown: str) -> bool:
    """Whether a network for one game refuses the views of some deals of another."""
    batch = DealBatch(shown, 24, seed=1)
    rng = np.random.default_rng(2)
    while not batch.done.all():
        try:
            check_same_game("net", rules(own), batch.views(np.flatnonzero(~batch.done)))
        except ValueError:
            return True
        play_randomly(batch, rng, 1)
    return False


@pytest.mark.parametrize("own", rule_names())
def test_every_pair_of_games_is_distinguished(own: str) -> None:
    shown_alike = {name for name in rule_names() if not is_refused(own, name)}
    assert shown_alike == {own, *(other for mine, other in ALSO if mine == own)}


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("hand=10,stock=32", "hand, stock"),
        ("hand=16,stock=20", "hand, stock"),
        ("ranks=12,hand=12,stock=24", "suits, ranks"),
        ("open_stock=3", "open_stock"),
        ("open_stock=0,trump=none", "open_stock"),
        ("trump=none", "trump"),
        ("draft=true", "draft"),
        ("race=7", "race"),
        ("counts=all", "counts"),
        ("humbug=true,stock=0", "choice"),
    ],
)
def test_the_first_view_names_the_rule_that_differs(change: str, named: str) -> None:
    agent = PolicyAgent(some_network(), name="net")
    message = rf"agent 'net' was trained for 'classic' and plays no other game: this deal differs in .*{named}"
    with pytest.raises(ValueError, match=message):
        agent.act(DealBatch(f"classic:{change}", 1).views(), None)
    with pytest.raises(ValueError, match=message):
        agent.probabilities(DealBatch(f"classic:{change}", 1).views())


@pytest.mark.parametrize("change", ["points=over_book", "points=over_book,book=3,slam=11"])
def test_rules_that_differ_in_scoring_only_are_accepted(change: str) -> None:
    views = DealBatch(f"classic:{change}", 20).views()
    agent = PolicyAgent(some_network())
    assert (agent.act(views, None) == agent.act(DealBatch("classic", 20).views(), None)).all()

"""``champion`` with a network for every game beside its own."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.pretrained import catalog
from german_whist.agents.pretrained.catalog import load_pretrained
from german_whist.agents.registry import make_agent
from german_whist.arena.explanation import explain_deal
from german_whist.arena.match import play_match
from german_whist.envs.simulator.batch import DealBatch
from tests.agents.networks import some_network, universal_network, valued_network


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of weights with a champion of the classic game and a network for every game."""
    dataclasses.replace(some_network(1), logits_per_trick=4.0).save(tmp_path / "champion.safetensors")
    universal_network(2).save(tmp_path / "champion-every.safetensors")
    monkeypatch.setattr(catalog, "weights_folder", lambda: tmp_path)
    load_pretrained.cache_clear()
    yield tmp_path
    load_pretrained.cache_clear()


SPEC = "champion:endgame=played"


def test_its_own_game_is_played_by_its_own_network(folder: Path) -> None:
    views = DealBatch("classic", 100).views()
    champion, own = make_agent(SPEC), PolicyAgent(load_pretrained("champion"))
    assert (champion.act(views, None) == own.act(views, None)).all()
    assert (champion.probabilities(views) == own.probabilities(views)).all()  # type: ignore[attr-defined]
    assert champion.checkpoint is load_pretrained("champion")  # type: ignore[attr-defined]


@pytest.mark.parametrize("game", ["all", "draft", "tiny", "open_stock", "classic:hand=10,stock=32", "race9"])
def test_other_games_are_played_by_the_network_for_every_game(folder: Path, game: str) -> None:
    views = DealBatch(game, 100).views()
    champion, general = make_agent(SPEC), PolicyAgent(load_pretrained("champion-every"))
    assert (champion.act(views, None) == general.act(views, None)).all()
    assert play_match("champion", "random", deals=4, rules=game).deals == 4


def test_views_of_several_games_go_to_their_networks(folder: Path) -> None:
    games = [DealBatch(game, 40, seed=8).views() for game in ("classic", "draft", "small")]
    views = np.concatenate(games)
    champion = make_agent(SPEC)
    expected = np.concatenate([champion.act(part, None) for part in games])
    assert (champion.act(views, None) == expected).all()
    together = champion.probabilities(views)  # type: ignore[attr-defined]
    assert together.shape == (120, 54)
    assert together.sum(1) == pytest.approx(1)


def test_no_views_are_played_at_once(folder: Path) -> None:
    assert make_agent(SPEC).act(DealBatch("all", 3).views()[:0], None).shape == (0,)


def test_a_network_by_name_plays_alone(folder: Path) -> None:
    own, every = make_agent("checkpoint:champion"), make_agent("checkpoint:champion-every")
    views = DealBatch("all", 20).views()
    assert (every.act(views, None) == make_agent(SPEC).act(views, None)).all()
    with pytest.raises(ValueError, match="agent 'champion' was trained for 'classic' and plays no other game"):
        own.act(views, None)


def test_humbug_is_refused_by_name(folder: Path) -> None:
    views = DealBatch("humbug", 3).views()
    for name in (SPEC, "checkpoint:champion-every,endgame=played"):
        with pytest.raises(ValueError, match="every game with an open endgame, and humbug has none: try 'heuristic'"):
            make_agent(name).act(views, None)


def test_values_come_from_the_network_that_plays(folder: Path) -> None:
    views = np.concatenate([DealBatch(game, 5).views() for game in ("classic", "all")])
    valued_network().save(folder / "champion.safetensors")
    load_pretrained.cache_clear()
    champion = make_agent(SPEC)
    own = PolicyAgent(load_pretrained("champion")).values(views[:5])
    assert own is not None
    assert (champion.values(views[:5]).margin == own.margin).all()  # type: ignore[attr-defined]
    assert champion.values(views) is None  # type: ignore[attr-defined]
    universal_network(2, value=True).save(folder / "champion-every.safetensors")
    load_pretrained.cache_clear()
    both = make_agent(SPEC).values(views)  # type: ignore[attr-defined]
    other = PolicyAgent(load_pretrained("champion-every")).values(views[5:])
    assert other is not None
    assert (both.win == np.concatenate([own.win, other.win])).all()


def test_a_game_of_another_network_is_explained(folder: Path) -> None:
    champion = make_agent("champion")
    explanation = explain_deal((champion, champion), ("champion", "champion"), "draft", 1, 2, worlds=0)
    assert any(option.action >= 52 and option.probability for move in explanation.moves for option in move.options)

"""Small runs of every benchmark: what it measures and compares; speed is not tested."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import pytest
import torch

import german_whist as gw
from german_whist.agents.registry import make_agent
from german_whist.benchmarks import aec, agents, batch, endgame, frames, openspiel, peers, startup, training
from german_whist.benchmarks.harness import PIP_COMMAND, Figure, Skipped
from german_whist.envs.engine.rules import rule_names
from german_whist.envs.pettingzoo_env import env
from german_whist.solver.endgames import solve_endgames
from german_whist.solver.search.value_kernels import write_tricks
from german_whist.training.config import PolicyIterationConfig, SB3Config
from tests.conftest import SMALL_TABLE

SHORT = 0.02  # seconds
TINY = SB3Config.of(rules="tiny", hidden=[8], num_envs=4, num_steps=8, batch_size=16, epochs=1)
TINY_OWN = PolicyIterationConfig.of(rules="tiny", hidden=[8], value_hidden=[8], num_envs=4, num_steps=8, batch_size=16)


class Ticks(list[float]):
    """Records the progress that a benchmark reports."""

    def __call__(self, share: float) -> None:
        self.append(share)


def checked(subject: str, lines: list[Figure | Skipped]) -> list[Figure]:
    figures = [line for line in lines if isinstance(line, Figure)]
    assert figures == lines
    for figure in figures:
        assert figure.subject == subject
        assert 0 < figure.ours < math.inf
        assert (figure.peer is None) == (figure.theirs is None) == (figure.ratio is None)
        if figure.theirs is not None:
            assert 0 < figure.theirs < math.inf
            assert figure.ratio == pytest.approx(figure.ours / figure.theirs)
    return figures


def test_aec_measures_against_both_of_pettingzoos_games() -> None:
    pytest.importorskip("rlcard")
    ticks = Ticks()
    figures = checked("aec", aec.measure_aec(SHORT, ticks))
    assert [figure.peer for figure in figures] == ["tictactoe_v3", "leduc_holdem_v4"]
    assert ticks == sorted(ticks)
    assert ticks[-1] == 1


def test_peers_that_are_not_installed_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("pgx", "envpool"):
        monkeypatch.setitem(sys.modules, module, None)
    lines = peers.measure_peers(SHORT, Ticks())
    assert [line.reason for line in lines if isinstance(line, Skipped)] == [
        "pgx is not installed: pip install pgx",
        "envpool is not installed: pip install envpool",
    ]


@pytest.mark.parametrize(("module", "play"), [("pgx", peers.PgxPlay), ("envpool", peers.EnvPoolPlay)])
def test_a_peer_plays_its_batch(module: str, play: Any) -> None:
    pytest.importorskip(module)
    game = play()
    assert game() % peers.SIZE == 0


def test_aec_plays_whole_deals_one_after_the_other() -> None:
    game = env()
    game.reset(seed=3)
    steps = aec.play_cycles(game)
    assert steps == 100
    assert game.unwrapped.deal == (3, 1)  # 52 decisions of deal 0, 48 of deal 1


def test_batch_measures_bare_and_observed_play() -> None:
    figures = checked("batch", batch.measure_batch(SHORT, Ticks()))
    assert [figure.name for figure in figures] == [batch.BARE, batch.OBSERVED]


@pytest.mark.parametrize("observed", [False, True])
def test_batch_plays_every_deal_to_its_end(observed: bool) -> None:
    play = batch.RandomPlay(8, observed=observed)
    assert play() == play() == 8 * 52
    assert play._batch.done.all()
    assert (play._batch.states["tricks"].sum(axis=(1, 2)) == 26).all()
    assert play._observations.any() == observed  # the last decision's are still there


def test_bots_are_measured_each() -> None:
    figures = checked("bots", agents.measure_bots(SHORT, Ticks()))
    assert [figure.name.split()[0] for figure in figures] == ["random", "greedy", "heuristic"]
    assert figures[0].peer is None


def test_training_measures_both_ways_and_leaves_torch_as_it_was() -> None:
    threads = torch.get_num_threads()
    figures = checked("training", training.measure_training(SHORT, Ticks(), TINY, TINY_OWN))
    assert [figure.peer for figure in figures] == [training.PEER, training.OWN_PEER]
    assert torch.get_num_threads() == threads
    assert torch.distributions.Distribution._validate_args == __debug__


def test_startup_measures_both_imports() -> None:
    ticks = Ticks()
    figures = checked("startup", startup.measure_startup(SHORT, ticks))
    assert [figure.unit for figure in figures] == ["s"]
    assert ticks[-1] == 1


def test_a_missing_library_skips_only_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [module for module in sys.modules if module.startswith(("rlcard", "pettingzoo.classic.leduc"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "pettingzoo.classic.rlcard_envs", raising=False)
    for name in [module for module in sys.modules if module.startswith("pettingzoo.classic.rlcard_envs.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "rlcard", None)
    lines = aec.measure_aec(SHORT, Ticks())
    assert [line.peer for line in lines if isinstance(line, Figure)] == ["tictactoe_v3"]
    [skipped] = [line for line in lines if isinstance(line, Skipped)]
    assert skipped.name == "against leduc_holdem_v4"
    assert skipped.reason == f"rlcard is not installed: {PIP_COMMAND}"


def test_without_peers_aec_still_gives_our_own_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [module for module in sys.modules if module.startswith("pettingzoo.classic")]:
        monkeypatch.delitem(sys.modules, name)
    for module in ("pygame", "rlcard"):
        monkeypatch.setitem(sys.modules, module, None)
    ours, *skipped = aec.measure_aec(SHORT, Ticks())
    assert isinstance(ours, Figure)
    assert ours.ratio is None
    assert len(skipped) == 2


@pytest.mark.parametrize(("module", "library"), [("torch", "torch"), ("sb3_contrib", "sb3-contrib")])
def test_without_the_training_libraries_training_is_skipped(
    monkeypatch: pytest.MonkeyPatch, module: str, library: str
) -> None:
    for name in [loaded for loaded in sys.modules if loaded.partition(".")[0] in ("sb3_contrib", "stable_baselines3")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    [line] = training.measure_training(SHORT, Ticks(), TINY, TINY_OWN)
    assert isinstance(line, Skipped)
    assert line.reason == f"{library} is not installed: {PIP_COMMAND}"


@pytest.mark.parametrize("rules", rule_names())
def test_random_play_counts_every_decision_of_a_game(rules: str) -> None:
    play = batch.RandomPlay(8, observed=True, rules=rules)
    made = gw.rules(rules)
    fewest = 2 * (made.race or made.tricks)
    assert play() >= 8 * fewest


def test_every_preset_is_compared_with_the_classic_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "SIZE", 8)
    figures = batch.measure_games(SHORT, Ticks())
    assert {figure.name for figure in figures} == set(rule_names()) - {"classic"}
    assert all(isinstance(figure, Figure) and 0 < (figure.ratio or 0) < math.inf for figure in figures)


def test_openspiel_plays_whole_deals() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    assert openspiel.OpenSpielPlay(pyspiel)() > 0
    figures = openspiel.measure_openspiel(SHORT, Ticks())
    assert all(isinstance(figure, Figure) and 0 < (figure.ratio or 0) < math.inf for figure in figures)
    named = [(figure.name, figure.peer) for figure in figures if isinstance(figure, Figure)]
    assert named == [
        ("with obs. and mask", "gin_rummy"),
        ("inside OpenSpiel", "gin_rummy"),
        ("inside OpenSpiel", "python_tic_tac_toe"),
    ]


def test_threads_play_a_batch_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "THREAD_SIZE", 16)
    assert batch.ThreadedPlay(2)() == 2 * batch.ThreadedPlay(1)()


def test_first_call_is_measured_with_an_empty_and_a_full_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(startup, "seconds_of_first_deal", lambda cache: 1.0)
    (figure,) = startup.measure_first_call(SHORT, Ticks())
    assert isinstance(figure, Figure)
    assert figure.ratio == 1.0


def test_memory_sizes_are_those_of_the_arrays() -> None:
    sizes = {figure.name: figure.ours for figure in batch.measure_memory(SHORT, Ticks()) if isinstance(figure, Figure)}
    assert sizes["an observation"] == 443
    assert sizes["an action mask"] == 52


def test_frames_are_drawn_at_every_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    assert frames.DrawnDeal(lambda batch: None)() == 52
    monkeypatch.setattr(frames, "RULES", "tiny")
    (figure,) = frames.measure_frames(SHORT, Ticks())
    assert isinstance(figure, Figure)
    assert (figure.ratio or 0) > 0


def test_leaders_and_followers_of_the_first_trick_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agents, "MC_DEALS", 2)
    monkeypatch.setattr(agents, "MC_WORLDS", 2)
    lines = agents.measure_mc(0.01, lambda share: None)
    figures = [line for line in lines if isinstance(line, Figure)]
    assert figures == lines
    assert [figure.name for figure in figures] == ["both, 2 worlds", "leader, 2 worlds", "follower, 2 worlds"]
    for figure in figures:
        assert figure.theirs is not None
        assert 0 < figure.ours < figure.theirs
    both, leading, following = (figure.ours for figure in figures)
    assert 2 / both == pytest.approx(1 / leading + 1 / following)


def test_the_views_are_those_of_the_first_trick() -> None:
    views = agents.first_trick()
    assert (views[agents.LEADING]["led"] < 0).all()
    assert (views[agents.FOLLOWING]["led"] >= 0).all()
    for seats in views.values():
        assert (seats["stock"] == 26).all()
        assert (seats["turn"] == 1).all()
    assert agents.choose(make_agent("random"), [(views[agents.LEADING], None)]) == agents.MC_DEALS


def test_the_search_and_flat_monte_carlo_decide_in_the_same_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("SEARCH_DEALS", 1), ("SEARCH_WORLDS", 2), ("MC_WORLDS", 2)):
        monkeypatch.setattr(agents, name, value)
    (figure,) = agents.measure_search(0.01, lambda share: None)
    assert isinstance(figure, Figure)
    assert figure.name == "champion:search=2 decisions"
    assert figure.theirs is not None
    assert min(figure.ours, figure.theirs) > 0


def test_the_positions_are_those_of_the_foreplay() -> None:
    positions = agents.foreplay_positions()
    assert len(positions) == 26
    assert all((views["stock"] > 0).all() for views, _ in positions)
    assert agents.choose(make_agent("random"), positions) == 26 * agents.SEARCH_DEALS


def test_endgames_come_from_play_and_lookups_save_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endgame, "POSITIONS", 40)
    monkeypatch.setattr(endgame, "_SINGLE", 2)
    monkeypatch.setattr(endgame, "_PEER_POSITIONS", 2)
    monkeypatch.setattr(endgame, "DEFAULT_CARDS", SMALL_TABLE)
    lines = endgame.measure_endgame(0.01, lambda share: None)
    figures = {line.name: line for line in lines if isinstance(line, Figure)}
    assert figures["exact value"].ours < (figures["exact value"].theirs or 0)
    assert figures["exact value: positions"].ours < (figures["exact value: positions"].theirs or 0)
    assert [line.name for line in lines if isinstance(line, Skipped)] == ["exact value, full table"]


def test_every_row_gets_its_value() -> None:
    count = 30
    endgames = endgame.played_endgames(count)
    leaders, followers, trumps, _, _ = endgames
    tricks = np.zeros(count, np.int8)
    table = endgame.load_table(endgame.build_table(endgame.KINDS["trump-high"], SMALL_TABLE))
    solving = endgame.SolverWorkload(table, endgames, write_tricks, tricks)
    assert solving() == count
    assert (tricks == solve_endgames(leaders, followers, trumps)).all()
    assert solving.positions_searched > 0
    assert all(int(hand).bit_count() == 13 for hand in (*leaders, *followers))

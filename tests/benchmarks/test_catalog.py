from __future__ import annotations

import math
import sys

import pytest
import torch

from german_whist.benchmarks.catalog import SUBJECTS, check_request, module_of, run_subjects
from german_whist.benchmarks.harness.figures import PIP_COMMAND, Figure, Skipped
from german_whist.benchmarks.speed import aec, batch, bots, training
from german_whist.benchmarks.startup import startup
from german_whist.envs.pettingzoo_env import env
from german_whist.training.config import PolicyIterationConfig, SB3Config

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
    figures = checked("aec", aec.measure(SHORT, ticks))
    assert [figure.peer for figure in figures] == ["tictactoe_v3", "leduc_holdem_v4"]
    assert ticks == sorted(ticks)
    assert ticks[-1] == 1


def test_aec_plays_whole_deals_one_after_the_other() -> None:
    game = env()
    game.reset(seed=3)
    steps = aec.play_cycles(game)
    assert steps == 100
    assert game.unwrapped.deal == (3, 1)  # 52 decisions of deal 0, 48 of deal 1


def test_batch_measures_bare_and_observed_play() -> None:
    figures = checked("batch", batch.measure(SHORT, Ticks()))
    assert [figure.name for figure in figures] == [batch.BARE, batch.OBSERVED]


@pytest.mark.parametrize("observed", [False, True])
def test_batch_plays_every_deal_to_its_end(observed: bool) -> None:
    play = batch.RandomPlay(8, observed=observed)
    assert play() == play() == 8 * 52
    assert play._batch.done.all()
    assert (play._batch.states["tricks"].sum(axis=(1, 2)) == 26).all()
    assert play._observations.any() == observed  # the last decision's are still there


def test_bots_are_measured_each() -> None:
    figures = checked("bots", bots.measure(SHORT, Ticks()))
    assert [figure.name.split()[0] for figure in figures] == ["random", "greedy", "heuristic"]
    assert figures[0].peer is None


def test_training_measures_both_ways_and_leaves_torch_as_it_was() -> None:
    threads = torch.get_num_threads()
    figures = checked("training", training.measure(SHORT, Ticks(), TINY, TINY_OWN))
    assert [figure.peer for figure in figures] == [training.PEER, training.OWN_PEER]
    assert torch.get_num_threads() == threads
    assert torch.distributions.Distribution._validate_args == __debug__


def test_startup_measures_both_imports() -> None:
    ticks = Ticks()
    figures = checked("startup", startup.measure(SHORT, ticks))
    assert [figure.unit for figure in figures] == ["s"]
    assert ticks[-1] == 1


def test_a_missing_library_skips_only_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [module for module in sys.modules if module.startswith(("rlcard", "pettingzoo.classic.leduc"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "pettingzoo.classic.rlcard_envs", raising=False)
    for name in [module for module in sys.modules if module.startswith("pettingzoo.classic.rlcard_envs.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "rlcard", None)
    lines = aec.measure(SHORT, Ticks())
    assert [line.peer for line in lines if isinstance(line, Figure)] == ["tictactoe_v3"]
    [skipped] = [line for line in lines if isinstance(line, Skipped)]
    assert skipped.name == "against leduc_holdem_v4"
    assert skipped.reason == f"rlcard is not installed: {PIP_COMMAND}"


def test_without_peers_aec_still_gives_our_own_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [module for module in sys.modules if module.startswith("pettingzoo.classic")]:
        monkeypatch.delitem(sys.modules, name)
    for module in ("pygame", "rlcard"):
        monkeypatch.setitem(sys.modules, module, None)
    ours, *skipped = aec.measure(SHORT, Ticks())
    assert isinstance(ours, Figure)
    assert ours.ratio is None
    assert len(skipped) == 2


@pytest.mark.parametrize("module", ["torch", "sb3_contrib"])
def test_without_the_training_libraries_training_is_skipped(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    for name in [loaded for loaded in sys.modules if loaded.partition(".")[0] in ("sb3_contrib", "stable_baselines3")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    [line] = training.measure(SHORT, Ticks(), TINY, TINY_OWN)
    assert isinstance(line, Skipped)
    assert line.reason == f"{module} is not installed: {PIP_COMMAND}"


def test_every_subject_has_its_module() -> None:
    calls = []
    lines = list(run_subjects(["batch"], SHORT, lambda name, share: calls.append((name, share))))
    assert len(lines) == 2
    assert calls[0] == ("batch", 0)
    assert calls[-1] == ("batch", 1)
    for name in SUBJECTS:
        assert name == module_of(name).SUBJECT


def test_every_subject_is_run_by_default_and_each_only_once() -> None:
    assert check_request([], 1) == list(SUBJECTS)
    assert check_request(["batch", "aec", "batch"], 1) == ["batch", "aec"]


def test_an_unknown_subject_gets_the_nearest_name() -> None:
    with pytest.raises(ValueError, match="unknown benchmark 'bacth': did you mean 'batch'"):
        check_request(["bacth"], 1)


@pytest.mark.parametrize("seconds", [0, -1, math.nan, math.inf])
def test_an_invalid_time_is_refused(seconds: float) -> None:
    with pytest.raises(ValueError, match=f"seconds {seconds} is not allowed: a number above 0"):
        check_request([], seconds)

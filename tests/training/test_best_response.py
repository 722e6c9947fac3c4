"""A best response by training: a bound on exploitability in any game."""

from __future__ import annotations

import dataclasses
import json
import math
import shutil
from pathlib import Path

import pytest

from german_whist.arena.match import play_match
from german_whist.cli.terminal import INTERRUPTED
from german_whist.training.best_response import (
    BestResponseBound,
    bound_of,
    own_weights,
    responder_config,
    train_best_response,
)
from german_whist.training.run.directory import EVALUATION_COLUMNS, RunDirectory
from german_whist.training.run.records import EVALUATION_SEED
from tests.cli.commands import runner
from tests.training.policy_iteration_runs import small_config as config
from tests.training.whole_runs import call_at, interrupt

SMALL = (
    "processes=1",
    "num_envs=32",
    "batch_size=64",
    "hidden=[16]",
    "suit_layers=0",
    "value_hidden=[16]",
    "threads=1",
    "num_steps=4",
    "value_deals=200",
)


def test_the_responder_starts_from_the_agents_own_weights() -> None:
    assert own_weights("champion+exact") == own_weights("champion:temperature=1") == "champion"
    assert own_weights("checkpoint:runs/a/final.safetensors,endgame=exact") == "runs/a/final.safetensors"
    assert own_weights("heuristic+exact") == own_weights("mc:worlds=60") == ""
    settings = responder_config("small", decisions=1000).to_dict()
    assert (settings["init"], settings["opponents"]) == ("champion", {"small": 1.0})  # small has no value network
    assert settings["evaluate_against"] == ["small"]


@pytest.mark.parametrize(
    ("agent", "plays_on"),
    [
        ("champion", "init"),
        ("champion+exact", "init"),
        ("champion:search=2", "opponent"),  # not what its network plays
        ("small", "opponent"),  # the responder starts from another network
        ("mc:worlds=2", "opponent"),
        ("heuristic+exact", "distilled"),  # lookaheads ask the bot itself
    ],
)
def test_the_agent_or_a_model_of_it_replies_in_lookaheads(agent: str, plays_on: str) -> None:
    assert responder_config(agent, decisions=1000).to_dict()["lookahead_policy"] == plays_on


def test_a_responder_that_starts_from_trained_weights_takes_small_steps() -> None:
    def rate(agent: str, **settings: str) -> float:
        return float(responder_config(agent, decisions=1000, settings=settings).to_dict()["learning_rate"])

    assert rate("champion") == rate("heuristic", init="champion") == 3e-4
    assert rate("heuristic") == 2e-3
    assert rate("champion", learning_rate="1e-3") == 1e-3


def test_a_responder_to_a_network_without_a_value_starts_from_the_champion() -> None:
    def start(agent: str, rules: str = "classic") -> str:
        return str(responder_config(agent, rules, decisions=1000).to_dict()["init"])

    assert start("small") == start("champion") == start("small", "all") == "champion"


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> BestResponseBound:
    """A responder to random, in a folder that nobody may change."""
    settings = {"seed": "0", **dict(setting.split("=") for setting in SMALL)}
    wanted = responder_config("random", "tiny", decisions=400, deals=20, settings=settings)
    run = RunDirectory.create("best-response", tmp_path_factory.mktemp("responder") / "run")
    bound = train_best_response(wanted, run, quiet=True)
    assert bound is not None
    return bound


def test_a_bound_is_what_the_trained_responder_wins(trained: BestResponseBound) -> None:
    assert (trained.agent, trained.rules) == ("random", "tiny")
    assert trained.decisions >= 400
    assert len(trained.curve) >= 3
    assert [decisions for decisions, _ in trained.curve][::-1][0] == trained.decisions
    final = f"checkpoint:{Path(trained.run) / 'final.safetensors'}"
    plain = play_match(final, "random", 20, EVALUATION_SEED, "tiny", endgame="exact")
    assert (trained.win_rate, trained.interval) == (plain.win_rate, plain.interval)
    assert (trained.margin, trained.margin_interval) == (plain.margin, plain.margin_interval)
    assert (trained.search, trained.search_win_rate, trained.search_interval) == (0, None, None)
    assert trained.endgame == "exact"  # of both sides, whatever the agent is
    unbounded = dataclasses.replace(trained, interval=(-math.inf, math.inf)).to_dict()
    assert json.loads(json.dumps(unbounded, allow_nan=False))["interval"] == [None, None]


def test_the_responder_is_also_measured_with_a_search(trained: BestResponseBound) -> None:
    bound = bound_of(RunDirectory(trained.run), search=2)
    searching = f"checkpoint:{Path(trained.run) / 'final.safetensors'},search=2"
    match = play_match(searching, "random", 20, EVALUATION_SEED, "tiny", endgame="exact")
    assert (bound.search, bound.search_win_rate, bound.search_interval) == (2, match.win_rate, match.interval)
    assert bound.curve == trained.curve


def with_curve(trained: BestResponseBound, folder: Path, rates: list[float]) -> BestResponseBound:
    """The bound of a run with another curve."""
    shutil.copytree(trained.run, folder)
    run = RunDirectory(folder)
    run.evaluations.unlink()
    points = [trained.decisions * number // (len(rates) - 1) for number in range(len(rates))]
    row = dict.fromkeys(EVALUATION_COLUMNS, 1.0) | {"opponent": "random"}
    run.add_evaluations(
        [row | {"decisions": decisions, "win_rate": rate} for decisions, rate in zip(points, rates, strict=True)]
    )
    return bound_of(run)


@pytest.mark.parametrize(
    ("rates", "rise", "flat"),
    [
        ([0.1, 0.5, 0.6, 0.6, 0.6], 0.0, True),
        ([0.1, 0.5, 0.6, 0.55, 0.5], -0.1, True),
        ([0.1, 0.2, 0.3, 0.6, 0.9], 0.6, False),
        ([0.5, 0.5, 0.5, 0.5, 1.0], 0.5, False),
        ([0.5, 0.5], 0.0, False),  # too few points to tell
    ],
)
def test_a_curve_is_flat_if_it_rose_little_over_its_second_half(
    trained: BestResponseBound, tmp_path: Path, rates: list[float], rise: float, flat: bool
) -> None:
    bound = with_curve(trained, tmp_path / "run", rates)
    assert bound.rise == pytest.approx(rise)
    assert bound.flat is flat


@pytest.mark.parametrize(("share", "flat"), [(0.45, True), (0.55, False)])
def test_little_is_half_the_width_of_the_interval(
    trained: BestResponseBound, tmp_path: Path, share: float, flat: bool
) -> None:
    width = trained.interval[1] - trained.interval[0]
    assert with_curve(trained, tmp_path / "run", [0.1, 0.2, 0.2 + share * width]).flat is flat


def test_a_run_that_goes_on_keeps_its_earlier_end(trained: BestResponseBound, tmp_path: Path) -> None:
    shutil.copytree(trained.run, tmp_path / "run")
    run = RunDirectory(tmp_path / "run")
    row = dict.fromkeys(EVALUATION_COLUMNS, 0.9) | {"opponent": "random", "decisions": 10 * trained.decisions}
    run.add_evaluations([row])
    assert bound_of(run).curve == trained.curve
    run.final.unlink()
    with pytest.raises(ValueError, match=r"has not ended: it has no final\.safetensors"):
        bound_of(run)


def test_an_interrupted_bound_says_how_to_go_on_and_ends_the_same(
    trained: BestResponseBound, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run, folder = runner(capsys), tmp_path / "run"
    words = ["exploit", "random", "--rules", "tiny", "--decisions", "400", "--deals", "20", "--search", "2", "--json"]
    call_at(monkeypatch, 200, interrupt)
    stopped = run(*words, "--out", str(folder), *(word for one in SMALL for word in ("--set", one)))
    assert (stopped.code, stopped.out) == (INTERRUPTED, "")
    assert stopped.err.endswith(f" exploit --resume {folder} --search 2\n")
    completed = run("exploit", "--resume", str(folder), "--json")
    assert completed.code == 0, completed.err
    assert json.loads(completed.out) == json.loads(json.dumps(trained.to_dict())) | {"run": str(folder)}
    printed = run("exploit", "--resume", str(folder)).out  # of a finished run: its bound once more
    assert "A responder trained for" in printed
    assert "The curve changed by" in printed


def test_only_runs_of_a_responder_are_resumed_as_such(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    RunDirectory.create("mine", tmp_path / "run").begin(config())
    refused = runner(capsys)("exploit", "--resume", str(tmp_path / "run"))
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert "a responder plays one agent in every deal and evaluation" in refused.err


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("random", "greedy", "--decisions", "100"), "--decisions takes one agent, 2 are given"),
        (("random", "--decisions", "100", "--local"), "--local cannot be combined with --decisions"),
        (("random", "--decisions", "100", "--by-trick"), "--by-trick cannot be combined with --decisions"),
        (("random", "--decisions", "100", "--worlds", "8"), "--worlds cannot be combined with --decisions"),
        (("random", "--decisions", "100", "--samples", "32"), "--samples cannot be combined with --decisions"),
        (("random", "--decisions", "100", "--set", "hidden"), "is not KEY=VALUE"),
        (("random", "--decisions", "100", "--set", "hiden=[16]"), "hiden"),
        (("random", "--decisions", "100", "--set", "opponents={self: 1}"), "a responder plays one agent"),
        (
            ("random", "--decisions", "100", "--set", "trainer=sb3"),
            "trainer must be policy_iteration, which trains responders, got 'sb3'",
        ),
        (("random", "--decisions", "0"), "decisions"),
        (("random", "--decisions", "100", "--search", "1_000_000"), "search"),
        (("rando", "--decisions", "100"), "rando"),
        (("random", "--out", "here"), "--out needs --decisions"),
        (("random", "--search", "2"), "--search needs --decisions or --resume"),
        (("random", "--deals", "0"), "--deals needs --local or --decisions"),
        (("random", "--worlds", "8"), "--worlds needs --local"),
        (("random", "--tolerance", "0.01"), "--tolerance needs --equilibrium"),
        (("--equilibrium", "--by-trick"), "--by-trick needs an agent"),
        (("--equilibrium", "--samples", "3"), "--samples needs an agent"),
        (("random", "--local", "--samples", "32"), "--samples cannot be combined with --local"),
        (("random", "--local", "--tolerance", "0.001"), "--tolerance cannot be combined with --local"),
        (("--local",), "--local needs an agent"),
        (("--resume", "here", "--deals", "5"), "--deals cannot be combined with --resume"),
        (("--resume", "here", "--seed", "0"), "--seed cannot be combined with --resume"),
        (("--resume", "here", "--local"), "--local cannot be combined with --resume"),
        (("random", "--resume", "here"), "leave out 'random'"),
        (("--resume", "here"), "is not a run directory"),
    ],
)
def test_wrong_words_are_one_line_and_make_no_folder(
    words: tuple[str, ...],
    reason: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    refused = runner(capsys)("exploit", *words)
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert reason in refused.err
    assert not list(tmp_path.iterdir())

"""A best response by training: a bound on exploitability in any game."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from german_whist.arena.match import play_match
from german_whist.training.best_response import own_weights, responder_config
from german_whist.training.run.evaluation import EVALUATION_SEED
from tests.cli.commands import runner

SMALL = (
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
    assert own_weights("champion-v1") == "champion-v1"
    assert own_weights("checkpoint:runs/a/final.safetensors,endgame=exact") == "runs/a/final.safetensors"
    assert own_weights("heuristic+exact") == own_weights("mc:worlds=60") == ""
    settings = responder_config("small", decisions=1000).to_dict()
    assert (settings["init"], settings["opponents"]) == ("small", {"small": 1.0})
    assert settings["lookahead_policy"] == "init"
    assert responder_config("heuristic", decisions=1000).to_dict()["lookahead_policy"] == "distilled"
    assert settings["evaluate_against"] == ["small"]


def test_the_command_trains_and_reports_its_curve(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = runner(capsys)
    words = ["exploit", "random", "--rules", "tiny", "--decisions", "400", "--deals", "20", "--search", "2", "--json"]
    completed = run(*words, "--out", str(tmp_path / "run"), *(word for one in SMALL for word in ("--set", one)))
    assert completed.code == 0, completed.err
    report = json.loads(completed.out)
    assert (report["agent"], report["rules"]) == ("random", "tiny")
    assert report["decisions"] >= 400
    assert len(report["curve"]) >= 3
    assert report["curve"][-1][1] == pytest.approx(report["win_rate"], abs=1e-4)
    assert isinstance(report["flat"], bool)
    searching = f"checkpoint:{tmp_path / 'run' / 'final.safetensors'},search=2"
    match = play_match(searching, "random", 20, EVALUATION_SEED, "tiny", endgame="exact")
    assert (report["search"], report["search_win_rate"]) == (2, match.win_rate)
    assert report["search_interval"] == list(match.interval)
    assert (tmp_path / "run" / "final.safetensors").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("random", "greedy", "--decisions", "100"),
        ("random", "--decisions", "100", "--local"),
        ("random", "--decisions", "100", "--set", "hidden"),
        ("random", "--decisions", "100", "--set", "hiden=[16]"),
        ("random", "--decisions", "0"),
        ("random", "--out", "here"),
        ("random", "--search", "2"),
        ("random", "--decisions", "100", "--search", "1_000_000"),
        ("rando", "--decisions", "100"),
    ],
)
def test_wrong_words_are_one_line(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    refused = runner(capsys)("exploit", *words)
    assert (refused.code, refused.err.count("\n")) == (2, 1)

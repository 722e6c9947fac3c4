"""What commands print."""

from __future__ import annotations

import base64
import json
import zlib
from importlib.metadata import Distribution, PackageNotFoundError
from pathlib import Path

import numpy as np
import pytest
from matplotlib import image
from PIL import Image

import german_whist as gw
from german_whist.agents.pretrained import BASELINE, PRETRAINED_NAMES, pretrained_networks
from german_whist.evaluation import benchmark
from german_whist.evaluation.plots import COLORS
from german_whist.game.rules import rules, rules_from_dict
from german_whist.simulator.text.deal_text import deal_text
from german_whist.simulator.text.rules_text import rules_text
from german_whist.training.run.directory import RunDirectory
from tests.cli.commands import Run
from tests.pictures import colours_in, points


def test_version_is_printed_without_an_install(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(Distribution, "from_name", missing)  # a checkout on the path has no metadata
    assert run("--version") == (0, f"german-whist {gw.__version__}\n", "")


def test_agents_lists_pretrained_networks(run: Run) -> None:
    completed, listed = run("agents"), json.loads(run("agents", "--json").out)
    networks = {network.name: network for network in pretrained_networks()}
    for name in PRETRAINED_NAMES:
        network = networks[name]
        assert listed[name]["bytes"] == network.size
        assert listed[name]["endgame"] == network.endgame
        assert listed[name]["strength"] == {"opponent": BASELINE, **network.model_card["results"][BASELINE]}
        assert f"{100 * listed[name]['strength']['win_rate']:.1f} %" in completed.out.partition(name)[2]


# A command, and a part of what it prints.
SHOWN = [
    ("evaluate greedy random --deals 4 --first-deal 7", "4 mirrored deals from number 7 on"),
    ("evaluate greedy random --deals 4 --rules small --endgame exact", "German Whist, small, exact endgame"),
    ("evaluate heuristic greedy random --match best_of:3 --deals 5", "5 mirrored matches"),
    ("evaluate greedy random --sprt -50 50 --rules small --seed 2", "H1 accepted: normalised Elo of at least 50"),
    ("arena random greedy heuristic --deals 6 --rules small --out standings.png", "bootstrapped over deals"),
    ("benchmark heuristic", "gw-bench-v1 rating of heuristic"),
    ("exploit random --rules six_cards", "0.5056"),
    ("rules race", rules_text("race")),
    ("solve AKQ2.T98..J4 J7.AK2.Q5.T8 --trump S", "With perfect play the leader takes 6 of 9, the follower 3."),
]


@pytest.mark.parametrize(("line", "shown"), SHOWN, ids=[line for line, _ in SHOWN])
def test_command_prints(run: Run, here: Path, monkeypatch: pytest.MonkeyPatch, line: str, shown: str) -> None:
    monkeypatch.setattr(benchmark, "LADDER", tuple(rung._replace(deals=4) for rung in benchmark.LADDER))
    completed = run(*line.split())
    assert completed.code == 0, completed.err
    assert shown in completed.out
    if "--out" in line:
        assert (here / "standings.png").read_bytes().startswith(b"\x89PNG")


def test_first_agent_plays_each_of_the_others(run: Run) -> None:
    matches = json.loads(run("evaluate", "greedy", "random", "heuristic", "--deals", "4", "--json").out)["matches"]
    assert [(match["first"], match["second"]) for match in matches] == [("greedy", "random"), ("greedy", "heuristic")]


def test_json_output_is_that_of_python(run: Run) -> None:
    (match,) = json.loads(run("evaluate", "greedy", "random", "--deals", "4", "--seed", "3", "--json").out)["matches"]
    assert match == json.loads(json.dumps(gw.play_match("greedy", "random", deals=4, seed=3).to_dict()))
    report = json.loads(run("solve", "AKQ2.T98..J4", "J7.AK2.Q5.T8", "--trump", "H", "--led", "HT", "--json").out)
    taken = [trick["taken_by"] for trick in report["line"]]
    assert (taken.count("leader"), len(taken)) == (report["tricks"], 9)
    assert rules_from_dict(json.loads(run("rules", "race", "--json").out)) == rules("race")


def made_run(folder: str, opponents: tuple[str, ...]) -> None:
    Path(folder).mkdir(parents=True)
    rows = points({name: [0.3, 0.5, 0.6] for name in opponents})
    for row in rows:
        row.update({"deals": 10, "margin": 0.5, "seconds": row["decisions"] / 50})
    run = RunDirectory(Path(folder))
    run.config.touch()
    run.add_evaluations(rows)


def test_curve_compares_runs(run: Run, here: Path) -> None:
    made_run("runs/a", ("random", "greedy"))
    made_run("runs/b", ("greedy", "heuristic", "random"))
    made_run("other/a", ("heuristic",))
    assert run("curve", "runs/a", "runs/b") == (0, "curves: curves.png\n", "")
    picture = image.imread("curves.png")
    assert picture.shape[:2] == (675, 2 * 780)
    for half in np.split(picture, 2, axis=1):
        assert set(COLORS[:2]) <= colours_in(half)
    refused = run("curve", "runs/a", "other/a")
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert "no opponent in common" in refused.err


SMALL = ("--size", "240x160")


def test_draw_picture_and_gif(run: Run, here: Path) -> None:
    words = ("draw", "greedy", "random", "--rules", "tiny", "--deal", "3:1", *SMALL)
    done = run(*words, "--still", "table.png", "--gif", "deal.gif")
    assert [line.partition(":")[0] for line in done.out.splitlines()] == ["table.png", "deal.gif"]
    with Image.open("table.png") as picture:
        assert picture.size == (240, 160)
    with Image.open("deal.gif") as frames:
        assert (frames.size, frames.n_frames) == ((240, 160), 1 + 8)  # type: ignore[attr-defined]  # the deal, 8 cards


def test_draw_shows_the_game_of_a_match(run: Run, here: Path) -> None:
    run("evaluate", "random", "random", "--rules", "tiny", "--deals", "3", "--seed", "5", "--record", "games.jsonl")
    drawn = run("draw", "random", "random", "--rules", "tiny", "--deal", "5:2").out
    assert drawn == run("draw", "games.jsonl", "--line", "5").out


def test_evaluate_names_the_worst_of_the_recorded_deals(run: Run, here: Path) -> None:
    done = run(
        "evaluate", "greedy", "random", "heuristic", "--rules", "tiny", "--deals", "9", "--record", "games.jsonl"
    )
    lines = Path("games.jsonl").read_text().splitlines()
    margins = [json.loads(line)["result"]["margin"] for line in lines]
    tricks = {line: margins[line - 1] - margins[line] for line in range(1, len(lines), 2)}
    worst = sorted(tricks, key=lambda line: (tricks[line], line))[:3]
    assert len(lines) == 36
    for line, shown in zip(worst, done.out.splitlines()[-3:], strict=True):
        opponent = "random" if line <= 18 else "heuristic"
        assert shown.startswith(f"{tricks[line]:+d} against {opponent}, lines {line} and {line + 1}: ")
        code = shown.partition("#recording=")[2]
        assert (
            zlib.decompress(base64.urlsafe_b64decode(code + "==")).decode().splitlines() == lines[line - 1 : line + 1]
        )


def test_draw_draws_a_recording(run: Run, here: Path) -> None:
    run("evaluate", "greedy", "random", "--rules", "tiny", "--deals", "2", "--record", "games.jsonl")
    assert run("draw", "games.jsonl", "--line", "3", "--still", "a.png", "--after", "3", *SMALL).code == 0
    recording = list(gw.read_recordings("games.jsonl"))[2]
    with Image.open("a.png") as picture:
        assert np.array_equal(np.array(picture), recording.render(3, size=(240, 160)))
    assert (
        run("draw", "games.jsonl", "--line", "3", "--after", "3").out == f"{recording.render(3, render_mode='ansi')}\n"
    )
    text = run("draw", "games.jsonl", "--line", "3").out
    assert text.count("\nmove ") == len(recording.actions) == 8
    start = deal_text(recording.start(), names=recording.names)
    assert start in text
    seen = run("draw", "games.jsonl", "--line", "3", "--seat", "1")
    assert (seen.code, start in seen.out) == (0, False)
    assert deal_text(recording.start(), seat=1, names=recording.names) in seen.out
    assert text.splitlines()[-1].endswith(f"{abs(recording.result.points):g} points.") or "drawn" in text


TRICK_4 = (  # deal 7:0 between two heuristic bots
    *("753.KJ876.T2.AK9", "--up", "H5", "--led", "S6", "--trump", "H"),
    *("--mine", "A2...2", "--theirs", "K8...3", "--taken", ".3..", "--shown", ".6..", "--tricks", "1-2"),
    *("--void", "D@1+1", "--dealer", "me"),
)
ENDGAME = ("AK4.T9..J", "--opponent", "J7.AK.Q.T", "--trump", "S")


def test_hint_shows_the_foreplay(run: Run) -> None:
    position, hand, best, *cards = run("hint", *TRICK_4).out.splitlines()
    assert position == "stock 20, hearts are trumps, H5 face up, S6 led"
    assert "♠ 753" in hand
    assert best == "Play S7 (by champion:search=256)."
    assert (cards[0].split()[0], len(cards)) == ("S7", 3)
    assert len(json.loads(run("hint", "AQ2.K84.T953.J76", "--up", "H5", "--json").out)["options"]) == 13


def test_hint_shows_both_hands_of_an_endgame(run: Run) -> None:
    position, _, opponent, _, *cards = run("hint", *ENDGAME).out.splitlines()
    assert position == "endgame, spades are trumps, you lead"
    assert "♠ J7" in opponent
    assert [line.split()[1] for line in cards] == ["4"] * 5 + ["3"]

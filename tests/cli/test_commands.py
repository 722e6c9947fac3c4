"""What commands print."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from matplotlib import image
from PIL import Image

import german_whist as gw
from german_whist.agents.pretrained import BASELINE, PRETRAINED_NAMES, pretrained_networks
from german_whist.cli import main
from german_whist.envs.engine.rules import rules, rules_from_dict
from german_whist.envs.text.deal_text import deal_text
from german_whist.envs.text.rules_text import rules_text
from german_whist.solver.endgames import solve_endgame
from german_whist.training.curve import COLORS
from german_whist.training.run import RunDirectory
from tests.agents.networks import some_network
from tests.cli.commands import Run
from tests.training.test_curve import colours_in, points


@pytest.mark.parametrize("words", [(), ("train",)])
def test_a_command_that_says_nothing_of_what_to_do_shows_its_help(run: Run, here: Path, words: tuple[str, ...]) -> None:
    shown = run(*words)
    assert (shown.code, shown.err) == (0, "")
    assert shown == run(*words, "--help")
    assert list(here.iterdir()) == []


def test_version(run: Run) -> None:
    assert run("--version") == (0, f"german-whist {gw.__version__}\n", "")


def test_pretrained_agents_are_listed_with_strength_and_size(run: Run) -> None:
    completed, listed = run("agents"), json.loads(run("agents", "--json").out)
    networks = {network.name: network for network in pretrained_networks()}
    for name in PRETRAINED_NAMES:
        network = networks[name]
        assert listed[name]["bytes"] == network.size
        assert listed[name]["endgame"] == network.endgame
        assert listed[name]["strength"] == {"opponent": BASELINE, **network.model_card["results"][BASELINE]}
        assert f"{100 * listed[name]['strength']['win_rate']:.1f} %" in completed.out.partition(name)[2]


def test_two_agents_give_a_result(run: Run) -> None:
    completed = run("evaluate", "heuristic", "random", "--deals", "50", "--seed", "3", "--rules", "tiny")
    result = gw.play_match("heuristic", "random", deals=50, seed=3, rules="tiny")
    assert (completed.code, completed.err) == (0, "")
    low, high = result.interval
    assert f"{100 * result.win_rate:.1f} % ± {50 * (high - low):.1f}" in completed.out
    assert f"{result.margin:+.2f} ± " in completed.out
    assert f"{result.wins} / {result.draws} / {result.losses}" in completed.out
    assert "German Whist, tiny" in completed.out
    assert "50 mirrored deals (each played twice, seats swapped), seed 3" in completed.out


def test_both_sides_can_play_the_endgame_exactly(run: Run) -> None:
    words = ("evaluate", "greedy", "random", "--deals", "30", "--rules", "small")
    completed = run(*words, "--endgame", "exact", "--json")
    (match,) = json.loads(completed.out)["matches"]
    assert match == json.loads(
        json.dumps(gw.play_match("greedy", "random", deals=30, seed=0, rules="small", endgame="exact").to_dict())
    )
    assert match["endgame"] == "exact"
    (as_played,) = json.loads(run(*words, "--json").out)["matches"]
    assert as_played["endgame"] == "played"
    assert as_played["margin"] != match["margin"]
    assert "German Whist, small, exact endgame" in run(*words, "--endgame", "exact").out
    completed = run(*words, "--endgame", "exact", "--match", "best_of:3", "--json")
    (series,) = json.loads(completed.out)["matches"]
    assert (series["match"], series["endgame"]) == ("best_of:3", "exact")


def refuse_constant(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")


def test_json_is_json_after_a_single_deal_too(run: Run) -> None:
    completed = run("evaluate", "greedy", "random", "--deals", "1", "--json")
    (match,) = json.loads(completed.out, parse_constant=refuse_constant)["matches"]
    assert match["interval"] == [None, None]
    assert run("evaluate", "greedy", "random", "--deals", "1").code == 0


def cells_of(table: str) -> dict[str, dict[str, str]]:
    """The cells of a cross table, by row and column."""
    lines = [[cell.strip() for cell in re.split("[│┃]", line)[1:-1]] for line in table.splitlines() if line[:1] in "│┃"]
    header, *rows = lines
    columns = [name.removeprefix("vs ") for name in header[1:]]
    return {row[0]: dict(zip(columns, row[1:], strict=True)) for row in rows}


def test_several_agents_give_a_cross_table_that_mirrors_itself(run: Run) -> None:
    names = ["heuristic", "greedy", "random"]
    completed = run("evaluate", *names, "--deals", "40")
    assert (completed.code, completed.err) == (0, "")
    cells = cells_of(completed.out)
    assert list(cells) == names
    rate = re.compile(r"([\d.]+) % ± ([\d.]+)")
    for i, name in enumerate(names):
        assert list(cells[name]) == names
        assert cells[name][name] == "—"
        for other in names[i + 1 :]:
            won, spread = map(float, rate.fullmatch(cells[name][other]).groups())  # type: ignore[union-attr]
            lost, mirrored = map(float, rate.fullmatch(cells[other][name]).groups())  # type: ignore[union-attr]
            assert won + lost == pytest.approx(100, abs=0.11)
            assert spread == mirrored
            assert won == pytest.approx(100 * gw.play_match(name, other, deals=40).win_rate, abs=0.051)


def test_checkpoints_play_by_the_names_of_their_files(run: Run, here: Path) -> None:
    for folder in ("some", "other"):
        (here / folder).mkdir()
        some_network(seed=len(folder)).save(here / folder / "best[red].safetensors")
    some = "checkpoint:some/best[red].safetensors"
    other = "checkpoint:other/best[red].safetensors,temperature=1"
    completed = run("evaluate", some, "random", "--deals", "5")
    assert completed.code == 0
    assert "best[red]" in completed.out
    cells = cells_of(run("evaluate", some, other, "random", "--deals", "5").out)
    assert list(cells) == ["best[red] #1", "best[red] #2", "random"]
    matches = json.loads(run("evaluate", some, other, "--deals", "5", "--json").out)["matches"]
    assert [(match["first"], match["second"]) for match in matches] == [(some, other)]


Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize("name", ["race", "classic:hand=10,stock=32"])
def test_a_game_is_printed_in_words_or_as_json(name: str, capsys: Capture) -> None:
    assert main(["rules", name]) == 0
    text = capsys.readouterr().out
    assert text == rules_text(name) + "\n"
    assert text.startswith(f"German Whist: {name}\n")
    assert main(["rules", name, "--json"]) == 0
    assert rules_from_dict(json.loads(capsys.readouterr().out)) == rules(name)


HANDS = "AKQ2.T98..J4", "J7.AK2.Q5.T8"


def test_value_cards_and_principal_variation_are_printed(run: Run) -> None:
    completed = run("solve", *HANDS, "--trump", "S")
    assert completed.code == 0
    assert "Endgame of 9 cards a hand, trumps ♠, the most tricks win" in completed.out
    assert "With perfect play the leader takes 6 of 9, the follower 3." in completed.out
    assert "   5  ♠2" in completed.out
    assert [line.split()[0] for line in completed.out.splitlines()[-9:]] == list("123456789")
    assert completed.out.splitlines()[-1].endswith("6-3")


@pytest.mark.parametrize("words", [("--trump", "h"), ("--trump", "D", "--low", "--led", "HT")])
def test_json_holds_the_same_and_the_line_keeps_to_the_value(run: Run, words: tuple[str, ...]) -> None:
    report = json.loads(run("solve", *HANDS, *words, "--json").out)
    low, led = "--low" in words, report["led"]
    trump = words[words.index("--trump") + 1].upper() if "--trump" in words else None
    assert report["trump"] == trump
    assert report["tricks"] == solve_endgame(*HANDS, trump, low=low, led=led)
    taken = [trick["taken_by"] for trick in report["line"]]
    assert (taken.count("leader"), len(taken)) == (report["tricks"], 9)
    best = (min if low else max)(report["cards"].values())
    assert best == (report["tricks"] if report["to_play"] == "leader" else 9 - report["tricks"])
    if led:
        assert report["to_play"] == "follower"
        assert report["line"][0]["led"] == led


def made_run(folder: str, opponents: tuple[str, ...]) -> None:
    Path(folder).mkdir(parents=True)
    rows = points({name: [0.3, 0.5, 0.6] for name in opponents})
    for row in rows:
        row.update({"deals": 10, "margin": 0.5, "seconds": row["decisions"] / 50})
    RunDirectory(Path(folder)).add_evaluations(rows)


def test_runs_are_compared_on_their_common_opponents(run: Run, here: Path) -> None:
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


def test_a_picture_and_a_gif_of_a_deal_are_written(run: Run, here: Path) -> None:
    words = ("draw", "greedy", "random", "--rules", "tiny", "--deal", "3:1", *SMALL)
    done = run(*words, "--still", "table.png", "--gif", "deal.gif")
    assert [line.partition(":")[0] for line in done.out.splitlines()] == ["table.png", "deal.gif"]
    with Image.open("table.png") as picture:
        assert picture.size == (240, 160)
    with Image.open("deal.gif") as frames:
        assert (frames.size, frames.n_frames) == ((240, 160), 1 + 8)  # type: ignore[attr-defined]  # the deal, 8 cards


def test_a_recorded_deal_is_shown_as_it_was_played(run: Run, here: Path) -> None:
    run("evaluate", "greedy", "random", "--rules", "tiny", "--deals", "2", "--record", "games.jsonl")
    assert run("draw", "games.jsonl", "--line", "3", "--still", "a.png", "--after", "3", *SMALL).code == 0
    recording = list(gw.read_recordings("games.jsonl"))[2]
    with Image.open("a.png") as picture:
        assert np.array_equal(np.array(picture), recording.render(3, size=(240, 160)))
    text = run("draw", "games.jsonl", "--line", "3").out
    assert text.count("\nmove ") == len(recording.actions) == 8
    assert deal_text(recording.start()) not in run("draw", "games.jsonl", "--line", "3", "--seat", "1").out
    assert text.splitlines()[-1].endswith(f"{abs(recording.result.points):g} points.") or "drawn" in text


TRICK_4 = (  # of deal 7:0 between two heuristic bots
    *("753.KJ876.T2.AK9", "--up", "H5", "--led", "S6", "--trump", "H"),
    *("--mine", "A2...2", "--theirs", "K8...3", "--taken", ".3..", "--shown", ".6..", "--tricks", "1-2"),
    *("--dealer", "me"),
)
ENDGAME = ("AK4.T9..J", "--opponent", "J7.AK.Q.T", "--trump", "S")


def test_a_hint_in_the_foreplay_ranks_the_legal_cards(run: Run) -> None:
    position, hand, best, *cards = run("hint", *TRICK_4).out.splitlines()
    assert position == "stock 20, hearts are trumps, H5 face up, S6 led"
    assert "♠ 753" in hand
    assert best == "Play S7 (by champion:search=256)."
    assert (cards[0].split()[0], len(cards)) == ("S7", 3)
    assert len(json.loads(run("hint", "AQ2.K84.T953.J76", "--up", "H5", "--json").out)["options"]) == 13


def test_a_hint_in_the_endgame_is_exact(run: Run) -> None:
    tricks = solve_endgame("AK4.T9..J", "J7.AK.Q.T", "S")
    for words, more in (((), 0), (("--tricks", "5-2"), 5)):
        report = json.loads(run("hint", *ENDGAME, *words, "--json").out)
        assert report["exact"]
        assert report["options"][0]["tricks"] == tricks + more
    led = json.loads(run("hint", *ENDGAME, "--led", "HA", "--json").out)
    assert {option["action"] for option in led["options"]} == {"HT", "H9"}

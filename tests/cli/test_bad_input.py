"""Bad input of every kind: exit code 2, one line that names it and what is allowed, nothing left behind."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
import yaml

from german_whist.cli import main
from tests.agents.networks import some_network
from tests.cli.commands import Run
from tests.training.sb3_runs import SETTINGS

LONG = "9" * 5000

# The words after german-whist, and part of the line on standard error.
CASES = [
    # commands and options
    ("trian", "unknown command 'trian': did you mean 'train'? allowed: train, curve, evaluate, exploit"),
    ("--versoin", "unknown option '--versoin': did you mean '--version'? allowed: -h, --help, --version"),
    ("agents --jsno", "unknown option '--jsno': did you mean '--json'? allowed: --help, --json"),
    # agents
    ("evaluate random", "evaluate: the number of agents must be at least 2, got 1"),
    ("evaluate randm greedy", "unknown agent 'randm': did you mean 'random'? allowed: random, greedy, heuristic"),
    # checkpoints
    ("evaluate checkpoint random", "agent 'checkpoint' needs a file: checkpoint:PATH[,temperature=T]"),
    ("evaluate checkpoint:absent.safetensors random", "checkpoint 'absent.safetensors': there is no such file"),
    ("evaluate checkpoint:cut.safetensors random", "checkpoint 'cut.safetensors' is not a readable safetensors file"),
    ("evaluate checkpoint:good.safetensors random --rules all", "agent 'good' was trained for 'tiny' and plays no"),
    ("evaluate champion random --rules humbug", "agent 'champion' needs an open endgame, and humbug has none: try"),
    # numbers of evaluate
    ("evaluate random greedy --deals many", "argument --deals: must be an integer, got 'many'"),
    ("evaluate random greedy --deal 5", "unknown option '--deal': did you mean '--deals'?"),
    # rules
    ("evaluate random greedy --rules clasic", "unknown rules 'clasic': did you mean 'classic'? allowed: all, classic"),
    # recipes and files of settings
    ("train quikstart", "unknown configuration (no such file) 'quikstart': did you mean 'quickstart'?"),
    ("train folder", "'folder' cannot be read: Is a directory"),
    ("train open.yaml", "open.yaml"),
    ("train key.yaml", "key.yaml: unknown key 'decisons': did you mean 'decisions'? allowed: trainer"),
    ("train tiny.yaml --decisons 5", "unknown option '--decisons': did you mean '--decisions'?"),
    ("train tiny.yaml --decisions many", "command line: decisions must be an integer, got 'many'"),
    ("train tiny.yaml --evaluate_against '[checkpoint:absent]'", "evaluate_against: checkpoint 'absent': there is no"),
    ("train tiny.yaml --device quantum", "device: 'quantum' cannot be used: "),
    ("train tiny.yaml --hidden '[1000000000000]'", "the network cannot be made: "),
    ("train tiny.yaml --num_steps 1000000000000 --decisions 1000000000000", "not enough memory: Unable to allocate"),
    # run directories
    ("train tiny.yaml --out folder", "run directory 'folder' is not empty: choose another, or resume it"),
    ("train tiny.yaml --out list.yaml", "run directory 'list.yaml' cannot be created: File exists"),
    ("train --resume absent", "'absent' is not a run directory: it has no config.yaml"),
    ("train --resume begun", "run directory 'begun' has checkpoints, but no snapshot of this version to resume from"),
    ("train quickstart --resume begun", "--resume uses the run's own configuration: leave out quickstart"),
    # play
    ("play --seat 2", "argument --seat: invalid choice: "),
    # draw
    ("draw games.jsonl --line 9", "line 9 does not exist: the file has 4 lines"),
    ("draw none.jsonl", "none.jsonl: cannot be read: No such file"),
    ("draw greedy", "draw: what to draw must be one file *.jsonl, or two agents, got ['greedy']"),
    ("draw games.jsonl --still t.png --size 960", "--size must be WIDTHxHEIGHT, such as 960x640, got '960'"),
    ("draw greedy random --deal 7", "--deal must be SEED:INDEX, such as 7:0, got '7'"),
    ("draw games.jsonl --still t.png --after 99", "after must be an integer from 0 to 8, got 99"),
    # solve, table
    ("solve AKQ2.T98..J4 J7.AK2.Q5.T", "the follower's number of cards must be 9, the leader's, got 8"),
    ("solve AA... 32...", "SA appears twice"),
    # hint
    ("hint AQ2.K..", "hint needs --up CARD in the foreplay, or --opponent HAND in the endgame"),
    ("hint AQ2.K --up H5", "hand 'AQ2.K' has 2 suits"),
    ("hint AQ2.K84.T953.J76 --up 5X", "'5X' is not a card"),
    ("hint AK4.T9..J --opponent J7.AK.Q.T --tricks 3", "--tricks must be two numbers, such as 3-1, got '3'"),
    ("hint AQ2.K84.T953.J76 --up H5 --void X", "a void must be a suit, trick and cards drawn since"),
    # rules
    ("rules smal", "unknown rules 'smal': did you mean 'small'?"),
    # curve
    ("curve folder", "'folder' holds no run with evaluations: it has no evaluations.csv"),
]  # fmt: skip


@pytest.fixture(scope="module")
def made_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files and folders with every kind of defect, made once: no command of this file may change them."""
    here = tmp_path_factory.mktemp("files")
    (here / "folder").mkdir()
    (here / "folder" / "thesis.txt").write_text("years of work")
    for name, text in {
        "tiny": yaml.safe_dump(SETTINGS),
        "open": "seed: 1\nhidden: [1, 2",
        "list": "- seed\n- 1\n",
        "key": "decisons: 5\n",
    }.items():
        (here / f"{name}.yaml").write_text(text)
    some_network(game="tiny").save(here / "good.safetensors")
    good = (here / "good.safetensors").read_bytes()
    (here / "cut.safetensors").write_bytes(good[: len(good) // 2])
    (here / "empty.safetensors").write_bytes(b"")
    (here / "begun" / "checkpoints").mkdir(parents=True)
    (here / "begun" / "config.yaml").write_text(yaml.safe_dump(SETTINGS))
    (here / "begun" / "checkpoints" / "000000000256.safetensors").write_bytes(good)
    record = ("evaluate", "greedy", "random", "--rules", "tiny", "--deals", "2", "--record", str(here / "games.jsonl"))
    assert main(record) == 0
    return here


@pytest.fixture
def files(made_files: Path, here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(made_files)
    return made_files


def everything(folder: Path) -> dict[str, bytes | None]:
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@pytest.mark.parametrize(("line", "says"), CASES, ids=[line for line, _ in CASES])
def test_bad_input_is_one_line_and_leaves_nothing(run: Run, files: Path, line: str, says: str) -> None:
    before = everything(files)
    completed = run(*shlex.split(line))
    assert completed.code == 2
    assert completed.out == ""
    assert completed.err.endswith("\n")
    assert completed.err.count("\n") == 1
    assert completed.err.startswith("german-whist")
    assert says in completed.err
    assert "Traceback" not in completed.err
    assert everything(files) == before


def test_the_table_tries_every_setting_of_the_command_line(run: Run) -> None:
    """A value that is invalid for every setting is refused, and the error names the setting."""
    from german_whist.training.load_config import config_fields

    for key in config_fields():
        completed = run("train", f"--{key}", "{no: value}")
        assert (completed.code, completed.out) == (2, "")
        assert completed.err.count("\n") == 1
        assert key in completed.err


@pytest.mark.parametrize(
    "words",
    [
        ("evaluate", "random" + "+exact" * 1200, "greedy"),
        ("evaluate", "x" * 100_000, "greedy"),
        ("evaluate", f"mc:worlds={LONG}", "random"),
        ("evaluate", "champion:temperature=1e400", "random"),
        ("evaluate", "random", "greedy", "--deals", LONG),
        ("evaluate", "random", "greedy", "--match", f"first_to:{LONG}"),
        ("solve", "A" * 5000, "2..."),
        ("rules", "x" * 5000),
        ("x" * 5000,),
        ("train", "--resume", "a\0b"),
        ("evaluate", "checkpoint:a\0b", "random"),
        ("evaluate", "checkpoint:" + "x" * 3000, "random"),
    ],
    ids=lambda words: " ".join(words)[:40].replace("\0", "0"),
)
def test_long_and_strange_words(run: Run, words: tuple[str, ...]) -> None:
    completed = run(*words)
    assert (completed.code, completed.out) == (2, "")
    assert completed.err.count("\n") == 1
    assert 20 < len(completed.err) <= 501

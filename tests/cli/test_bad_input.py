"""Bad input of every kind: exit code 2, one line that names it and what is allowed, nothing left behind."""

from __future__ import annotations

import dataclasses
import json
import shlex
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy
import yaml

from german_whist.agents.policy.checkpoint import Checkpoint
from german_whist.cli import main
from tests.agents.networks import some_network
from tests.cli.commands import Run
from tests.envs.utils.test_yaml_text import HOSTILE
from tests.training.sb3_runs import SETTINGS

LONG = "9" * 5000

# The words after german-whist, and part of the line on standard error.
CASES = [
    # commands and options
    ("trian", "unknown command 'trian': did you mean 'train'? allowed: train, curve, evaluate, exploit"),
    ("--versoin", "unknown option '--versoin': did you mean '--version'? allowed: -h, --help, --version"),
    ("agents --jsno", "unknown option '--jsno': did you mean '--json'? allowed: --help, --json"),
    ("agents extra", "unrecognized arguments: extra"),
    # agents
    ("evaluate random", "evaluate: the number of agents must be at least 2, got 1"),
    ("evaluate randm greedy", "unknown agent 'randm': did you mean 'random'? allowed: random, greedy, heuristic"),
    ("evaluate random:luck=1 greedy", "agent 'random' takes no settings, 'luck' was given"),
    ("evaluate greedy:hard random", "'hard' is not key=value"),
    # checkpoints
    ("evaluate checkpoint random", "agent 'checkpoint' needs a file: checkpoint:PATH[,temperature=T]"),
    ("evaluate checkpoint:absent.safetensors random", "checkpoint 'absent.safetensors': there is no such file"),
    ("evaluate checkpoint:folder random", "checkpoint 'folder' is not a readable safetensors file"),
    ("evaluate checkpoint:cut.safetensors random", "checkpoint 'cut.safetensors' is not a readable safetensors file"),
    ("evaluate checkpoint:foreign.safetensors random", "'foreign.safetensors' has no model card of a german-whist"),
    ("evaluate checkpoint:newer.safetensors random", "'newer.safetensors' has format 99"),
    ("evaluate checkpoint:layout.safetensors random", "observation layout 98: this version reads"),
    ("evaluate checkpoint:nan.safetensors random", "'nan.safetensors': layer 0 holds numbers that are not finite"),
    ("evaluate checkpoint:good.safetensors,temprature=1 random", "'temprature': did you mean 'temperature'?"),
    ("evaluate checkpoint:good.safetensors,temperature=hot random", "temperature must be a number, got 'hot'"),
    ("evaluate greedy+exact+exact random", "agent 'greedy+exact' plays the endgame exactly already: give +exact once"),
    ("evaluate greedy+exakt random", "unknown agent suffix '+exakt': did you mean '+exact'? allowed: +exact"),
    # pretrained agents
    ("evaluate champion:heat=1 random", "unknown champion setting 'heat': allowed: temperature, endgame"),
    ("evaluate checkpoint:good.safetensors random --rules all", "agent 'good' was trained for 'tiny' and plays no"),
    ("evaluate champion random --rules humbug", "every game with an open endgame, and humbug has none: try 'heur"),
    ("evaluate checkpoint:good.safetensors random --rules small", "'good' was trained for 'tiny' and plays no"),
    # export
    ("export heuristic", "agent 'heuristic' is not a network: german-whist agents lists the trained ones"),
    # the endgame of evaluate
    ("evaluate greedy random --endgame exakt", "unknown endgame 'exakt': did you mean 'exact'? allowed: played, exact"),
    ("evaluate greedy random --endgame exact --rules humbug", "the endgame cannot be solved with humbug=True"),
    # numbers of evaluate
    ("evaluate random greedy --deals 0", "deals must be an integer >= 1, got 0"),
    ("evaluate random greedy --deals many", "argument --deals: must be an integer, got 'many'"),
    ("evaluate random greedy --deal 5", "unknown option '--deal': did you mean '--deals'?"),
    ("evaluate random greedy --seed -1", "seed must be an integer from 0 to 2**64 - 1, got -1"),
    # rules
    ("evaluate random greedy --rules clasic", "unknown rules 'clasic': did you mean 'classic'? allowed: all, classic"),
    ("evaluate random greedy --rules classic:hand=10", "2 * hand + stock = 46 cards are dealt, but suits * ranks = 52"),
    # recipes and files of settings
    ("train quikstart", "unknown configuration (no such file) 'quikstart': did you mean 'quickstart'?"),
    ("train absent.yaml", "unknown configuration (no such file) 'absent.yaml': allowed: champion, half-hour"),
    ("train folder", "'folder' cannot be read: Is a directory"),
    ("train open.yaml", "open.yaml, line 2: not YAML: "),
    ("train list.yaml", "list.yaml must be a mapping of keys to values, got list"),
    ("train key.yaml", "key.yaml: unknown key 'decisons': did you mean 'decisions'? allowed: trainer"),
    ("train value.yaml", "value.yaml: ent_coef must be a number >= 0, got -1.5"),
    ("train tiny.yaml sb3", "unrecognized arguments: sb3"),
    # settings on the command line
    ("train tiny.yaml --decisons 5", "unknown option '--decisons': did you mean '--decisions'?"),
    ("train tiny.yaml --decisions many", "command line: decisions must be an integer, got 'many'"),
    ("train tiny.yaml --decisions '[1'", "command line: decisions: '[1' is not a YAML value"),
    ("train tiny.yaml --seed -1", "command line: seed must be an integer from 0 to 4294967295, got -1"),
    ("train tiny.yaml --rules clasic", "command line: unknown rules 'clasic': did you mean 'classic'?"),
    ("train tiny.yaml --opponents '{slef: 1}'", "unknown agent in opponents 'slef': did you mean 'self'?"),
    ("train tiny.yaml --evaluate_against '[checkpoint:absent]'", "evaluate_against: checkpoint 'absent': there is no"),
    ("train tiny.yaml --device quantum", "device: 'quantum' cannot be used: "),
    ("train tiny.yaml --hidden '[1000000000000]'", "the network cannot be made: "),
    ("train tiny.yaml --num_steps 1000000000000 --decisions 1000000000000", "not enough memory: Unable to allocate"),
    # run directories
    ("train tiny.yaml --out folder", "run directory 'folder' is not empty: choose another, or --resume it"),
    ("train tiny.yaml --out list.yaml", "run directory 'list.yaml' cannot be made: File exists"),
    ("train tiny.yaml --out list.yaml/below", "run directory 'list.yaml/below' cannot be made: Not a directory"),
    ("train --resume absent", "'absent' is not a run directory: it has no config.yaml"),
    ("train --resume list.yaml", "'list.yaml' is not a run directory"),
    ("train --resume begun", "run directory 'begun' has checkpoints, but no resume.safetensors to resume from"),
    ("train --resume damaged", "'damaged/resume.safetensors' cannot be resumed: "),
    ("train --resume misled", "misled/config.yaml: unknown key 'decisons'"),
    ("train quickstart --resume begun", "--resume uses the run's own configuration: leave out quickstart"),
    ("arena greedy random --deals 2 --out list.yaml", "german-whist: list.yaml: File exists"),
    ("export checkpoint:good.safetensors --out no/x.onnx", "german-whist: no/x.onnx: No such file"),
    ("export checkpoint:good.safetensors --out folder", "german-whist: folder: Is a directory"),
    # play
    ("play --deals 0", "deals must be an integer >= 1, got 0"),
    ("play --rules clasic", "unknown rules 'clasic': did you mean 'classic'?"),
    ("play --seat 2", "argument --seat: invalid choice: "),
    ("play --seed -1", "seed must be an integer from 0 to 2**64 - 1, got -1"),
    ("play --match best_of:2", "match best_of:N: N must be an odd number of deals, got 2"),
    ("play --match best_of:3 --deals 2", "not allowed with argument"),
    ("play --record no/such/folder/x", "cannot be written"),
    # replay, review
    ("replay none.jsonl", "none.jsonl: cannot be read: No such file"),
    ("replay games.jsonl --line 0", "line 0 does not exist: the file has 4 lines"),
    ("replay games.jsonl --check --line 2", "--line cannot be combined with it"),
    ("replay empty.safetensors --check", "empty.safetensors: no recordings"),
    ("review none.jsonl", "none.jsonl: cannot be read: No such file"),
    # draw
    ("draw", "draw: nothing to write: give --still FILE, --gif FILE or both"),
    ("draw --still table.jpg", "--still must be a file name that ends in .png, got 'table.jpg'"),
    ("draw --still t.png --size 960", "--size '960' is not WIDTHxHEIGHT"),
    ("draw --still t.png --size 10x10", "120 to 8192"),
    ("draw --still t.png --deal 7", "--deal must be SEED:INDEX, such as 7:0, got '7'"),
    ("draw --still t.png --after 99", "--after must be an integer from 0 to 52, the actions of this deal, got 99"),
    ("draw greedy --still t.png", "draw: the number of agents must be 2 (or 0 for heuristic and greedy), got 1"),
    # solve, table
    ("solve AKQ2.T98..J4 J7.AK2.Q5.T", "the follower's number of cards must be 9, the leader's, got 8"),
    ("solve AA... 32...", "SA appears twice"),
    ("solve A... 2... --trump X", "trump must be C, D, H, S, or None for no trumps, got 'X'"),
    # rules
    ("rules smal", "unknown rules 'smal': did you mean 'small'?"),
    # curve
    ("curve folder", "'folder' holds no run with evaluations: it has no evaluations.csv"),
    ("curve folder --by luck", "argument --by: invalid choice: 'luck'"),
]  # fmt: skip


@pytest.fixture(scope="module")
def made_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files and folders with every kind of defect, made once: no command of this file may change them."""
    here = tmp_path_factory.mktemp("files")
    (here / "folder").mkdir()
    (here / "folder" / "thesis.txt").write_text("years of work")
    settings = {
        "tiny": yaml.safe_dump(SETTINGS),
        "open": "seed: 1\nhidden: [1, 2",
        "list": "- seed\n- 1\n",
        "key": "decisons: 5\n",
        "value": "trainer: sb3\nent_coef: -1.5\n",
        "kind": "hidden: 256\n",
        "agent": "opponents: {heuristc: 1}\n",
    }
    for name, text in settings.items():
        (here / f"{name}.yaml").write_text(text)
    made = some_network(game="tiny")
    made.save(here / "good.safetensors")
    good = (here / "good.safetensors").read_bytes()
    (here / "cut.safetensors").write_bytes(good[: len(good) // 2])
    (here / "empty.safetensors").write_bytes(b"")
    (here / "text.safetensors").write_text("To whom it may concern\n" * 9)
    safetensors.numpy.save_file({"weight": np.zeros(3)}, here / "foreign.safetensors")
    with_model_card(made, here / "newer.safetensors", version=99)
    with_model_card(made, here / "layout.safetensors", observation_version=98)
    layers = ((np.full_like(made.layers[0][0], np.nan), made.layers[0][1]), *made.layers[1:])
    dataclasses.replace(made, layers=layers).save(here / "nan.safetensors")
    for name in ("begun", "damaged", "misled"):
        (here / name).mkdir()
        (here / name / "config.yaml").write_text(yaml.safe_dump(SETTINGS))
    (here / "begun" / "checkpoints").mkdir()
    (here / "begun" / "checkpoints" / "000000000256.safetensors").write_bytes(good)
    for name in ("damaged", "misled"):
        (here / name / "resume.safetensors").write_bytes(good[:500])
    (here / "misled" / "config.yaml").write_text("decisons: 5\n")
    record = ("evaluate", "greedy", "random", "--rules", "tiny", "--deals", "2", "--record", str(here / "games.jsonl"))
    assert main(record) == 0
    return here


@pytest.fixture
def files(made_files: Path, here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(made_files)
    return made_files


def with_model_card(made: Checkpoint, path: Path, **changes: object) -> None:
    tensors = {
        f"layer.{i}.{name}": array
        for i, layer in enumerate(made.layers)
        for name, array in zip(("weight", "bias"), layer, strict=True)
    }
    safetensors.numpy.save_file(tensors, path, {"card": json.dumps({**made.model_card(), **changes})})


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


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_value_of_a_setting_rule_or_file(run: Run, here: Path, text: str) -> None:
    (here / "mine.yaml").write_text(text)
    for words in (
        ("train", "mine.yaml"),
        ("train", "--seed", text),
        ("train", "--opponents", text),
        ("train", "--rules", f"classic:hand={text}"),
        ("evaluate", "random", "greedy", "--rules", f"classic:hand={text}"),
        ("evaluate", "random", "greedy", "--rules", text),
    ):
        completed = run(*words)
        assert (completed.code, completed.out) == (2, "")
        assert completed.err.count("\n") == 1
        assert len(completed.err) <= 501


@pytest.mark.parametrize(
    "words",
    [
        ("evaluate", "random" + "+exact" * 1200, "greedy"),
        ("evaluate", "random" + "+exact" * 600, "greedy"),
        ("evaluate", "x" * 100_000, "greedy"),
        ("evaluate", "greedy:" + "a=1," * 2000, "random"),
        ("evaluate", f"mc:worlds={LONG}", "random"),
        ("evaluate", f"champion:temperature={'x' * 5000}", "random"),
        ("evaluate", "champion:temperature=1e400", "random"),
        ("evaluate", "random", "greedy", "--deals", LONG),
        ("evaluate", "random", "greedy", "--deals", "9" * 4000),
        ("evaluate", "random", "greedy", "--seed", LONG),
        ("evaluate", "random", "greedy", "--match", f"first_to:{LONG}"),
        ("evaluate", "random", "greedy", "--match", "x" * 5000),
        ("solve", "A" * 5000, "2..."),
        ("solve", "x" * 5000, "2..."),
        ("rules", "x" * 5000),
        ("table", "build", "--cards", LONG),
        ("x" * 5000,),
        ("evaluate", "--" + "x" * 5000),
        ("replay", "x" * 5000),
        ("replay", "a\0b"),
        ("train", "x" * 5000),
        ("train", "a\0b"),
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

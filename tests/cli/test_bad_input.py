"""Bad input: exit code 2 and one line that names it and what is allowed; nothing is written."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
import yaml

from tests.agents.networks import some_network
from tests.cli.commands import Run
from tests.training.sb3_runs import SETTINGS

# The words after german-whist, and part of the line on standard error.
CASES = [
    ("trian", "unknown command 'trian': did you mean 'train'?"),
    ("--versoin", "unknown option '--versoin': did you mean '--version'?"),
    ("agents --jsno", "unknown option '--jsno': did you mean '--json'?"),
    ("evaluate random", "the number of agents must be at least 2, got 1"),
    ("evaluate randm greedy", "unknown agent 'randm': did you mean 'random'?"),
    ("evaluate random greedy --deals many", "argument --deals: invalid int value: 'many'"),
    ("evaluate random greedy --deal 5", "unknown option '--deal': did you mean '--deals'?"),
    ("evaluate random greedy --sprt 5", "--sprt must be ELO0,ELO1, such as 0,5, got '5'"),
    ("evaluate random greedy --sprt 0,5 --match best_of:3", "--sprt and --match cannot be combined"),
    ("evaluate random greedy --rules clasic", "unknown rules 'clasic': did you mean 'classic'?"),
    ("evaluate random greedy --workers 1 --ray", "argument --ray: not allowed with argument --workers"),
    ("evaluate checkpoint:absent.safetensors random", "absent.safetensors"),
    ("arena random --deals 2", "got 1"),
    ("benchmark randm", "unknown agent 'randm'"),
    ("exploit random --rules classic", "exploit: "),
    ("train quikstart", "'quikstart': did you mean 'quickstart'?"),
    ("train tiny.yaml --decisons 5", "unknown option '--decisons': did you mean '--decisions'?"),
    ("train tiny.yaml --decisions many", "'many'"),
    ("train sb3 --resume begun", "resume"),
    ("curve absent", "absent"),
    ("play --seat 2", "argument --seat: invalid choice: "),
    ("serve --port 99999", "--port must be an integer from 0 to 65535, got 99999"),
    ("draw absent.jsonl", "absent.jsonl"),
    ("draw greedy", "one file *.jsonl, or two agents, got ['greedy']"),
    ("draw greedy random --still t.png --size 960", "--size must be WIDTHxHEIGHT, such as 960x640, got '960'"),
    ("draw greedy random --deal 7", "--deal must be SEED:INDEX, such as 7:0, got '7'"),
    ("solve AKQ2.T98..J4 J7.AK2.Q5.T", "got 9 and 8"),
    ("hint AQ2.K..", "hint needs --up CARD in the foreplay, or --opponent HAND in the endgame"),
    ("hint AK4.T9..J --opponent J7.AK.Q.T --tricks 3", "--tricks must be two numbers, such as 3-1, got '3'"),
    ("hint AQ2.K84.T953.J76 --up H5 --void X", "a void must be a suit, trick and cards drawn since"),
    ("rules smal", "unknown rules 'smal': did you mean 'small'?"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "says"), CASES, ids=[line for line, _ in CASES])
def test_bad_input_is_one_line_and_leaves_nothing(run: Run, here: Path, line: str, says: str) -> None:
    (here / "tiny.yaml").write_text(yaml.safe_dump(SETTINGS))
    completed = run(*shlex.split(line))
    assert (completed.code, completed.out, completed.err.count("\n")) == (2, "", 1)
    assert completed.err.startswith("german-whist")
    assert says in completed.err
    assert [path.name for path in here.iterdir()] == ["tiny.yaml"]


def test_a_checkpoint_of_another_game_is_refused(run: Run, here: Path) -> None:
    some_network(game="tiny").save(here / "good.safetensors")
    refused = run("evaluate", "checkpoint:good.safetensors", "random", "--rules", "all")
    assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1)
    assert "agent 'good' was trained for 'tiny'" in refused.err

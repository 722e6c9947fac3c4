"""Bad input: exit code 2 and one line that names it and what is allowed; nothing is written."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
import yaml

from tests.cli.commands import Run
from tests.training.sb3_runs import SETTINGS

# The words after german-whist, and part of the line on standard error.
CASES = [
    ("trian", "'trian': did you mean 'train'?"),
    ("evaluate random", "got 1"),
    ("evaluate random greedy --deals many", "'many'"),
    ("evaluate random greedy --deal 5", "'--deal': did you mean '--deals'?"),
    ("evaluate random greedy --sprt 0 five", "'five'"),
    ("evaluate random greedy --record absent/games.jsonl", "absent/games.jsonl: No such file"),
    ("arena random greedy --out absent/arena.png", "absent/arena.png: No such file"),
    ("exploit random --rules classic", "tiny:ranks=5,hand=3"),
    ("draw games.jsonl --deal 3:1", "--deal"),
    ("draw greedy random --line 4", "--line"),
    ("train tiny.yaml --decisons 5", "did you mean '--decisions'?"),
    ("train tiny.yaml --hidden '!!bool x'", "hidden"),
    ("evaluate random greedy --rules 'tiny:slam=!!timestamp x'", "!!timestamp"),
    ("curve absent", "'absent' is not a run"),
    ("draw greedy random --gif t.gif --after 3", "--after"),
    ("draw greedy random --size 960x640", "--size"),
    ("play --deals 0", "--deals"),
    ("draw greedy random --still t.png --size 960", "got '960'"),
    ("hint AK4.T9..J --opponent J7.AK.Q.T --tricks 3", "got '3'"),
    ("hint AK4.T9..J --opponent J7.AK.Q.T --my-void D@3", "--my-void"),
]


@pytest.mark.parametrize(("line", "says"), CASES, ids=[line for line, _ in CASES])
def test_bad_input_is_one_line(run: Run, here: Path, line: str, says: str) -> None:
    (here / "tiny.yaml").write_text(yaml.safe_dump(SETTINGS))
    completed = run(*shlex.split(line))
    assert (completed.code, completed.out, completed.err.count("\n")) == (2, "", 1)
    assert completed.err.startswith("german-whist")
    assert says in completed.err
    assert [path.name for path in here.iterdir()] == ["tiny.yaml"]

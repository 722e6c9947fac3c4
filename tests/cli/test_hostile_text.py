"""Text that is made to break a parser: exit code 2 and one line of at most 500 characters."""

from __future__ import annotations

import pytest

from tests.cli.commands import Run
from tests.envs.utils.test_yaml_text import HOSTILE

LONG = "9" * 5000


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_value_of_a_setting_rule_or_file(run: Run, here, text: str) -> None:
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
        ("explain", "random", "--deal", LONG),
        ("explain", "random", "--deal", f"{LONG}:0"),
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

"""docs/use_in_your_code.md: its examples run, from the top to the bottom, in one folder."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from german_whist.cli import main

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "use_in_your_code.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(python|console)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)

# What keeps the training example short; the rest of its line is as written.
SHORT = ["--decisions", "1000", "--value_start", "500", "--num_envs", "32", "--num_steps", "13", "--batch_size", "64"]
FEW_DEALS = ["--final_deals", "20", "--evaluate_deals", "20"]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_every_example_runs_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    assert [kind for kind, _ in BLOCKS].count("python") == 6
    for kind, text in BLOCKS:
        if kind == "python":
            exec(compile(text, "use_in_your_code.md", "exec"), {"__name__": "page"})
            continue
        for command in text.splitlines():
            program, *words = shlex.split(command)
            assert program == "german-whist"
            if words[0] == "train":
                for option in SHORT[::2]:
                    if option in words:
                        at = words.index(option)
                        words[at : at + 2] = []
                words += [*SHORT, *FEW_DEALS]
            assert main(words) == 0, command
            assert capsys.readouterr().out, command


def test_every_linked_file_exists() -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", PAGE)
    assert links
    assert [link for link in links if not (ROOT / "docs" / link).exists()] == []

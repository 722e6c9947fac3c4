"""``python:FILE:CLASS``: agents of the user's own code, and the doors through which no code is loaded."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import gymnasium
import pytest

import german_whist as gw
from german_whist.agents.registry import make_agent
from german_whist.table.api import Api
from german_whist.table.page_data import ServeOptions
from tests.cli.commands import Run, runner
from tests.table.questions import first_question

BOT = """
import helper

class Bot:
    def __init__(self, depth=1, style="plain"):
        self.depth, self.style = depth, style

    def act(self, observations, action_masks):
        return helper.lowest(action_masks)

class Crash:
    def act(self, decisions):
        return decisions.views["no_such_field"]

class Lazy(Bot):
    def act(self, observations, action_masks):
        import helper_2

        return helper_2.lowest(action_masks)

class Broken:
    def __init__(self):
        self.depth = depht

class Nothing:
    pass

def make(depth):
    return Bot(depth)

ready = Bot(7)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with an agent in a file and in a package."""
    (tmp_path / "my_bot.py").write_text(BOT, encoding="utf-8")
    (tmp_path / "helper.py").write_text("def lowest(masks):\n    return masks.argmax(axis=1)\n", encoding="utf-8")
    (tmp_path / "helper_2.py").write_text("from helper import lowest\n", encoding="utf-8")
    (tmp_path / "my_package").mkdir()
    (tmp_path / "my_package" / "__init__.py").touch()
    (tmp_path / "my_package" / "bots.py").write_text(BOT, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return tmp_path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(capsys)


@pytest.mark.parametrize("spec", ["python:my_bot.py:Bot", "python:my_package.bots:Bot"])
def test_external_agent_plays_everywhere(spec: str, folder: Path) -> None:
    assert gw.play_match(spec, "random", deals=3).first == "Bot"
    assert gw.play_match(f"{spec}+exact", "random", deals=3).deals == 3
    assert "Bot" in gw.play_tournament([spec, "random", "greedy"], deals=3).agents
    game = gymnasium.make("german_whist:GermanWhist-v0", opponent=spec)
    game.reset(seed=1)
    assert gw.TextEnv(opponent=spec).reset(seed=1)[0]
    assert gw.play_match(spec, "random", deals=1, match="best_of:3").deals == 1


def test_folder_with_a_comma(folder: Path) -> None:
    shutil.copytree(folder, folder / "a,b")
    agent = make_agent("python:a,b/my_bot.py:Bot,depth=2,style=c,d/e")
    assert (agent.wrapped.depth, agent.wrapped.style) == (2, "c,d/e")  # type: ignore[attr-defined]


def test_modules_are_imported_inside_act(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    assert gw.play_match(f"python:{folder}/my_bot.py:Lazy", "random", deals=3).deals == 3


def test_settings_are_keyword_arguments(folder: Path) -> None:
    agent = make_agent("python:my_bot.py:Bot,depth=2,style=bold")
    assert (agent.wrapped.depth, agent.wrapped.style) == (2, "bold")  # type: ignore[attr-defined]
    assert make_agent("python:my_bot.py:make,depth=0.5").wrapped.depth == 0.5  # type: ignore[attr-defined]
    assert make_agent("python:my_bot.py:Bot,depth=None").wrapped.depth is None  # type: ignore[attr-defined]


def test_changed_file_is_reloaded(folder: Path) -> None:
    assert make_agent("python:my_bot.py:Bot").wrapped.depth == 1  # type: ignore[attr-defined]
    (folder / "my_bot.py").write_text(BOT.replace("depth=1", "depth=5"), encoding="utf-8")
    assert make_agent("python:my_bot.py:Bot").wrapped.depth == 5  # type: ignore[attr-defined]


REFUSED = {
    "python:nowhere.py:Bot": "nowhere.py",
    "python:my_package.nowhere:Bot": "'my_package.nowhere'",
    "python:my_bot.py:Bott": "did you mean 'Bot'",
    "python:my_bot.py": "python:mine.py:Bot",
    "python:my_bot.py:Bot,dept=2": "'dept'",
    "python:my_bot.py:Nothing": "object with act",
    "python:my_bot.py:Broken": "my_bot.py, line 23: NameError: name 'depht'",
}


@pytest.mark.parametrize("spec", REFUSED)
def test_wrong_spec_is_refused(spec: str, folder: Path) -> None:
    with pytest.raises(ValueError, match=REFUSED[spec]):
        make_agent(spec)


def test_error_in_agent_names_its_line(folder: Path, run: Run) -> None:
    code, _, error = run("evaluate", "python:my_bot.py:Crash", "random", "--deals", "2")
    assert code == 2
    assert "my_bot.py, line 13: ValueError: no field of name no_such_field" in error


@pytest.mark.parametrize("kind", [BrokenPipeError, ConnectionRefusedError])
def test_agent_whose_program_is_gone(kind: type[OSError], folder: Path, run: Run) -> None:
    text = f"class Bot:\n    def act(self, decisions):\n        raise {kind.__name__}(5, 'it is gone')\n"
    (folder / "gone.py").write_text(text, encoding="utf-8")
    code, _, error = run("evaluate", "python:gone.py:Bot", "random", "--deals", "2")
    assert code == 2
    assert f"gone.py, line 3: {kind.__name__}: " in error


@pytest.mark.parametrize("status", ["no licence", 3])
def test_exit_of_an_agent_is_an_error(status: object, folder: Path, run: Run) -> None:
    text = f"import sys\n\nclass Bot:\n    def act(self, decisions):\n        sys.exit({status!r})\n"
    (folder / "quits.py").write_text(text, encoding="utf-8")
    code, _, error = run("evaluate", "python:quits.py:Bot", "random", "--deals", "2")
    assert (code, error.count("\n")) == (2, 1)
    assert f"quits.py, line 5: SystemExit: {status}" in error


# The doors: what the user has not written himself loads no code.

EVIL = "python:evil.py:Bot"


@pytest.fixture
def loaded(folder: Path) -> Path:
    """A file that appears once the code runs."""
    marker = folder / "loaded"
    (folder / "evil.py").write_text(
        f"from pathlib import Path\nPath({os.fspath(marker)!r}).touch()\n"
        "class Bot:\n    def act(self, decisions): ...\n",
        encoding="utf-8",
    )
    return marker


def test_table_runs_only_named_agents(loaded: Path) -> None:
    for options in (ServeOptions(), ServeOptions("tiny", ("python:my_bot.py:Bot",))):
        with pytest.raises(ValueError, match="is not offered here"):
            Api(options).act(first_question(EVIL))
    assert not loaded.exists()


@pytest.mark.parametrize("key", ["opponents", "evaluate_against"])
def test_config_runs_no_code(key: str, loaded: Path, run: Run) -> None:
    value = {"opponents": f"{{self: 0.5, {EVIL!r}: 0.5}}", "evaluate_against": f"[{EVIL!r}]"}[key]
    text = f"trainer: policy_iteration\n{key}: {value}\n"
    (loaded.parent / "config.yaml").write_text(text, encoding="utf-8")
    for words in (["config.yaml"], ["--resume", "."]):
        code, _, error = run("train", *words)
        assert code == 2
        assert f"config.yaml: {key}: {EVIL!r} runs code" in error
    assert not loaded.exists()

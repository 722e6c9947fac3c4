"""Modules of users' agents: each agent finds those of its own folder, and so do processes that get it pickled."""

from __future__ import annotations

import gc
import importlib
import multiprocessing
import pickle
import statistics
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import german_whist as gw
from german_whist.agents.registry import make_agent

Margins = list[list[int]]

PACKAGE = {"parts/__init__": "", "parts/choice": "CHOOSE"}
LOWEST = "def choose(masks):\n    return masks.argmax(axis=1)\n"
HIGHEST = "def choose(masks):\n    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)\n"

# How a bot may reach the function `choose` of its folder: what its file says at the top, in `act`, and other files.
WAYS: dict[str, tuple[str, str, dict[str, str]]] = {
    "at the top": ("import helper", "choose = helper.choose", {"helper": "CHOOSE"}),
    "module": ("", "import helper; choose = helper.choose", {"helper": "CHOOSE"}),
    "name": ("", "from helper import choose", {"helper": "CHOOSE"}),
    "other name": ("", "import helper as tool; choose = tool.choose", {"helper": "CHOOSE"}),
    "star": ("from helper import *", "", {"helper": "CHOOSE"}),
    "helper of a helper": ("import first", "choose = first.late()", {"first": "LATE", "helper": "CHOOSE"}),
    "package": ("", "import parts.choice; choose = parts.choice.choose", PACKAGE),
    "submodule": ("", "from parts import choice; choose = choice.choose", PACKAGE),
    "relative": ("", "from parts import choose", PACKAGE | {"parts/__init__": "from .choice import choose"}),
    "folder": ("", "from parts.choice import choose", {"parts/choice": "CHOOSE"}),
    "name of a library": ("", "from yaml import choose", {"yaml": "CHOOSE"}),
    "name of Python's": ("", "from statistics import choose", {"statistics": "CHOOSE"}),
    "by name at the top": (
        "import importlib; helper = importlib.import_module('helper')",
        "choose = helper.choose",
        {"helper": "CHOOSE"},
    ),
    "function": ("", "choose = __import__('helper').choose", {"helper": "CHOOSE"}),
}
BOT = """\
{top}

class Bot:
    def act(self, observations, action_masks):
        {late}
        return choose(action_masks)
"""


def write_bot(folder: Path, way: str, choose: str, name: str = "bot") -> Path:
    """Write a bot that reaches a function in one of the ways above."""
    top, late, files = WAYS[way]
    texts = {"CHOOSE": choose, "LATE": "def late():\n    import helper\n\n    return helper.choose\n"}
    for file, text in files.items():
        path = folder / f"{file}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(texts.get(text, text), encoding="utf-8")
    (folder / f"{name}.py").write_text(BOT.format(top=top, late=late or "pass"), encoding="utf-8")
    return folder / f"{name}.py"


@pytest.fixture(autouse=True)
def path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])


@pytest.fixture(scope="module")
def expected() -> Margins:
    """The margins of the highest against the lowest card, without modules."""
    found = match(Chooser(HIGHEST), Chooser(LOWEST))
    assert found not in (match(Chooser(text), Chooser(text)) for text in (HIGHEST, LOWEST))
    return found


class Chooser:
    def __init__(self, text: str) -> None:
        self.variables: dict[str, Any] = {}
        exec(text, self.variables)

    def act(self, observations: Any, action_masks: Any) -> Any:
        return self.variables["choose"](action_masks)


def match(first: Any, second: Any, executor: Any = None) -> Margins:
    margins: Margins = gw.play_match(first, second, deals=20, rules="small", executor=executor).margins.tolist()
    return margins


@pytest.mark.parametrize("way", WAYS)
def test_two_bots_with_helpers_of_one_name(way: str, tmp_path: Path, expected: Margins) -> None:
    highest, lowest = (
        f"python:{write_bot(tmp_path / folder, way, text)}:Bot" for folder, text in (("a", HIGHEST), ("b", LOWEST))
    )
    assert match(highest, lowest) == expected
    assert statistics.mean([1, 2]) == 1.5
    assert importlib.import_module("statistics") is statistics


def test_modules_in_two_working_directories(tmp_path: Path, expected: Margins, monkeypatch: pytest.MonkeyPatch) -> None:
    agents = []
    for folder, text in (("a", HIGHEST), ("b", LOWEST)):
        write_bot(tmp_path / folder / "bots", "module", text, "mine")
        (tmp_path / folder / "bots" / "helper.py").rename(tmp_path / folder / "helper.py")
        monkeypatch.chdir(tmp_path / folder)
        agents.append(make_agent("python:bots.mine:Bot", "small"))
    assert match(*agents) == expected


def test_helper_keeps_its_state(tmp_path: Path) -> None:
    """A late import finds the module that was imported at the top, even after another agent was made of this file."""
    (tmp_path / "helper.py").write_text("count = 0\n")
    (tmp_path / "bot.py").write_text(
        "import helper\n\nclass Bot:\n    def __init__(self):\n        helper.count += 1\n\n"
        "    def act(self, observations, action_masks):\n        import helper as late\n\n"
        "        assert (late is helper, late.count) == (True, 1)\n        return action_masks.argmax(axis=1)\n"
    )
    spec = f"python:{tmp_path}/bot.py:Bot"
    assert match(spec, spec)


def test_missing_module_is_named_as_the_bot_names_it(tmp_path: Path) -> None:
    write_bot(tmp_path, "package", LOWEST)
    (tmp_path / "parts" / "choice.py").unlink()
    with pytest.raises(ModuleNotFoundError) as error:
        match(f"python:{tmp_path}/bot.py:Bot", "random")
    assert "parts.choice" in str(error.value)
    (tmp_path / "early.py").write_text("import parts.choice\n")
    with pytest.raises(ValueError, match=r"early\.py, line 1: ModuleNotFoundError: No module named 'parts\.choice'"):
        make_agent(f"python:{tmp_path}/early.py:Bot")


# Pickles

KEPT = """\
import pickle
from pathlib import Path

import helper

class Bot:
    def __init__(self):
        self.kept = pickle.loads(Path(__file__).with_suffix(".pickle").read_bytes())
        assert isinstance(self.kept, helper.Kept)

    def act(self, observations, action_masks):
        return self.kept.choose(action_masks)
"""


def test_pickles_of_own_classes(tmp_path: Path, expected: Margins, monkeypatch: pytest.MonkeyPatch) -> None:
    """While an agent is made, pickles find the modules of its folder by their plain names."""
    specs = []
    for name, text in (("a", HIGHEST), ("b", LOWEST)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "bot.py").write_text(KEPT)
        (folder / "helper.py").write_text(f"{text}\n\nclass Kept:\n    choose = staticmethod(choose)\n")
        (folder / "bot.pickle").write_bytes(b"\x80\x04chelper\nKept\n)\x81.")
        specs.append(f"python:{folder}/bot.py:Bot")
    assert match(*specs) == expected


BASES: dict[str, Callable[[str], str]] = {
    "plain": lambda text: text,
    "Agent": lambda text: "import german_whist as gw\n" + text.replace("class Bot", "class Bot(gw.Agent)"),
}


@pytest.mark.parametrize("way", ["spawn", "fork"])
@pytest.mark.parametrize("base", BASES)
def test_agents_are_pickled_to_workers(way: str, base: str, tmp_path: Path, expected: Margins) -> None:
    if way not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {way} on this system")
    agents = []
    for folder, text in (("a", HIGHEST), ("b", LOWEST)):
        file = write_bot(tmp_path / folder, "module", text)
        file.write_text(BASES[base](file.read_text()))
        agents.append(make_agent(f"python:{file}:Bot", "small"))
    with ProcessPoolExecutor(1, multiprocessing.get_context(way)) as executor:
        assert match(*agents, executor) == expected


def test_pickled_agent_keeps_its_state(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("class Bot:\n    seen = 0\n\n    def act(self, observations, action_masks): ...\n")
    agent: Any = make_agent(f"python:{tmp_path}/bot.py:Bot")
    agent.wrapped.seen = 5
    again = pickle.loads(pickle.dumps(agent))
    assert (again.wrapped.seen, type(again.wrapped)) == (5, type(agent.wrapped))


def test_modules_of_agents_that_are_gone_are_forgotten(tmp_path: Path) -> None:
    file = write_bot(tmp_path, "at the top", LOWEST)

    def modules() -> list[str]:
        return [name for name, module in sys.modules.items() if str(tmp_path) in str(getattr(module, "__file__", ""))]

    agent = make_agent(f"python:{file}:Bot")
    assert len(modules()) == 2
    del agent
    gc.collect()
    assert modules() == []

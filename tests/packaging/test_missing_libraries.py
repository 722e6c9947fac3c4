"""Public doors in an environment that lacks their extra: the command that installs it, in a short traceback."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.packaging.only import environment

DOORS = {
    "gw.train()": ("train", "torch"),
    "from german_whist import train": ("train", "torch"),
    "import german_whist.sb3": ("train", "stable_baselines3"),
    "import german_whist.openspiel": ("openspiel", "pyspiel"),
    "gw.DealBatch(device='cpu')": ("train", "torch"),
    "gymnasium.make('GermanWhist-v0', render_mode='rgb_array')": ("render", "PIL"),
    "gw.env(render_mode='rgb_array')": ("render", "PIL"),
    "german_whist.evaluation.executors.RayExecutor()": ("ray", "ray"),
}
CODE = """
import json, sys, traceback
import gymnasium
import german_whist as gw, german_whist.evaluation.executors
found = {}
for door in json.loads(sys.argv[1]):
    try:
        exec(door)
    except ModuleNotFoundError as error:
        found[door] = (error.name, str(error), traceback.format_exc())
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def errors(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, str, str]]:
    """The name, the message and the traceback of each door's error, where the base alone is installed."""
    folder = tmp_path_factory.mktemp("base")
    command = [sys.executable, "-c", CODE, json.dumps(list(DOORS))]
    done = subprocess.run(command, env=environment("base", folder), cwd=folder, stdout=subprocess.PIPE, check=True)
    found: dict[str, tuple[str, str, str]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("door", DOORS)
def test_missing_library_names_its_extra(door: str, errors: dict[str, tuple[str, str, str]]) -> None:
    extra, module = DOORS[door]
    name, message, shown = errors[door]
    assert name == module
    assert f'pip install "german-whist[{extra}]"' in message
    assert shown.count("Traceback") == 1
    assert shown.count("File ") < 10  # frames, two of them the test's

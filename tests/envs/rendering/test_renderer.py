from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import render_test

import german_whist as gw
from german_whist.agents.registry import make_agent
from german_whist.envs.gymnasium_env import GermanWhistEnv
from german_whist.envs.rendering import renderer as rendering
from german_whist.envs.rendering.table import deal_picture
from german_whist.simulator.batch import DealBatch


@pytest.fixture
def no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering, "has_display", lambda: False)


@pytest.fixture
def unseen_display(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Use an invisible display of pygame."""
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    yield pygame
    pygame.quit()


# The environments


def test_pettingzoo_render_test(no_display: None) -> None:
    render_test(lambda render_mode=None: gw.env(rules="tiny", render_mode=render_mode))


@pytest.mark.filterwarnings("ignore:.*:UserWarning")
@pytest.mark.parametrize("mode", ["ansi", "rgb_array", "human"])
def test_gymnasium_render_check(mode: str, no_display: None) -> None:
    environment = gymnasium.make("german_whist:GermanWhist-v0", rules="tiny", opponent="greedy", render_mode=mode)
    check_env(environment.unwrapped, skip_render_check=False)


def test_opponent_cards_are_hidden() -> None:
    environment = GermanWhistEnv(make_agent("greedy"), seat=1, render_mode="rgb_array")
    environment.reset(seed=1)
    names = (environment.opponent.name, "learner")  # type: ignore[attr-defined]
    assert np.array_equal(environment.render(), deal_picture(DealBatch(seed=1), seat=1, names=names))


def test_vector_environment_shows_match_scores() -> None:
    settings = {"rules": "tiny", "opponent": "greedy", "match": "first_to:5", "render_mode": "ansi"}
    single = gymnasium.make("german_whist:GermanWhist-v0", **settings)
    several = gymnasium.make_vec("german_whist:GermanWhist-v0", num_envs=1, **settings)
    single.reset(seed=1)
    several.reset(seed=1)
    assert "match 0" in single.render()
    assert "match 0" in several.render()[0]


# The window


def test_human_window_shows_the_deal(unseen_display: Any) -> None:
    environment = gw.env(rules="tiny", render_mode="human")
    environment.reset(seed=1)
    first = unseen_display.surfarray.array3d(unseen_display.display.get_surface())
    assert np.array_equal(first.transpose(1, 0, 2), deal_picture(DealBatch("tiny", seed=1)))
    for twin in (copy.deepcopy(environment), pickle.loads(pickle.dumps(environment))):
        assert np.array_equal(twin.observe("player_0")["observation"], environment.observe("player_0")["observation"])
    environment.step(int(np.flatnonzero(environment.last()[0]["action_mask"])[0]))
    assert not np.array_equal(unseen_display.surfarray.array3d(unseen_display.display.get_surface()), first)
    environment.close()
    assert not unseen_display.display.get_init()


def test_closed_window_stays_closed(unseen_display: Any, capsys: pytest.CaptureFixture[str]) -> None:
    environment = gw.env(rules="tiny", render_mode="human")
    environment.reset(seed=1)
    unseen_display.event.post(unseen_display.event.Event(unseen_display.QUIT))
    for agent in environment.agent_iter():
        observation, _, over, _, _ = environment.last()
        environment.step(None if over else int(np.flatnonzero(observation["action_mask"])[0]))
        assert not unseen_display.display.get_init(), agent
    assert "trumps" not in capsys.readouterr().out


# Missing extras, and modules that stay unloaded

WITHOUT = """
import gymnasium, sys
import german_whist as gw
environment = gw.env(render_mode="ansi")
environment.reset(seed=1)
environment.render()
assert not {"PIL", "pygame"} & sys.modules.keys()
sys.modules["PIL"] = None  # as if it were not installed
game = "german_whist:GermanWhist-v0"
for make in (
    lambda: gw.env(render_mode="rgb_array"),
    lambda: gymnasium.make(game, render_mode="rgb_array"),
    lambda: gymnasium.make_vec(game, 2, render_mode="rgb_array"),
):
    try:
        make()
    except ModuleNotFoundError as error:
        print(error)
"""


def test_missing_render_extra() -> None:
    answer = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True)
    assert answer.stdout.count('pip install "german-whist[render]"') == 3

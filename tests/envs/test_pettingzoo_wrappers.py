"""The wrappers of the PettingZoo environment: order of calls, illegal actions, copies, text rendering."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from pettingzoo.utils import wrappers

from german_whist.envs.pettingzoo_env import env, raw_env
from german_whist.game.scoring import reward_limit
from tests.players import play_deal, random_legal

pytestmark = pytest.mark.filterwarnings("error")


def test_calls_before_reset_raise() -> None:
    environment = env(render_mode="ansi")
    for name in ("agents", "agent_selection", "rewards", "terminations", "truncations", "infos", "num_agents"):
        with pytest.raises(AttributeError, match="before reset"):
            getattr(environment, name)
    calls = [environment.last, environment.state, environment.render, lambda: list(environment.agent_iter())]
    calls += [lambda: environment.step(0), lambda: environment.observe("player_0")]
    for call in calls:
        with pytest.raises((AttributeError, AssertionError), match=r"before|needs to be called"):
            call()
    copied = pickle.loads(pickle.dumps(environment))
    copied.reset(seed=1)
    copied.step(int(copied.last()[0]["action_mask"].argmax()))


def test_errors_of_an_endgame_hook_are_its_own() -> None:
    class Faulty:
        def check(self, rules: Any) -> None:
            pass

        def finish(self, rules: Any, states: Any) -> Any:
            raise ValueError("mine")

    environment = env(rules="tiny", endgame=Faulty())
    environment.reset(seed=1)
    with pytest.raises(ValueError, match="mine"):
        play_deal(environment, np.random.default_rng(0))


def usual_wrappers(reward: str) -> Any:
    bare = raw_env(reward=reward)
    limit = -reward_limit(bare.rules.record, reward)
    terminate = wrappers.TerminateIllegalWrapper(bare, illegal_reward=limit)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(terminate))


def test_wrappers_match_pettingzoo(rng: np.random.Generator) -> None:
    ours, theirs = env(), usual_wrappers("margin")
    for seed in range(30):
        ours.reset(seed=seed)
        theirs.reset(seed=seed)
        while ours.agents:
            assert ours.agents == theirs.agents
            assert ours.agent_selection == theirs.agent_selection
            for name in ("rewards", "terminations", "truncations", "_cumulative_rewards"):
                assert getattr(ours, name) == getattr(theirs, name)
            actual, expected = ours.last(), theirs.last()
            np.testing.assert_equal(actual[1:4], expected[1:4])
            done = actual[2] or actual[3]
            if not done:  # theirs still shows a mask after an illegal action
                np.testing.assert_equal(ours.infos, theirs.infos)
                np.testing.assert_equal(actual[0], expected[0])
            wild = rng.random() < 0.02
            action = None if done else int(rng.integers(52)) if wild else random_legal(actual[0]["action_mask"], rng)
            ours.step(action)
            theirs.step(action)
        assert theirs.agents == []


# The picture in text


def test_human_mode_prints(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("german_whist.envs.rendering.renderer.has_display", lambda: False)
    environment = env(rules="tiny", render_mode="human")
    environment.reset(seed=1)
    play_deal(environment, np.random.default_rng(1))
    assert capsys.readouterr().out.count("German Whist") == 1 + 8


def test_rendering_without_a_mode_warns() -> None:
    environment = env()
    environment.reset()
    with pytest.warns(UserWarning, match="render mode"):
        assert environment.render() is None

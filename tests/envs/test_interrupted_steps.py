"""An opponent that raises in the middle of a step, as when a remote model does not answer: the next call is a reset."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded

import german_whist as gw
from tests.players import Lowest

ID = "german_whist:GermanWhist-v0"
SEED = 5


class Unreachable(Lowest):
    """Plays the lowest legal card, but raises at one of its turns."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self.at = at

    def act(self, decisions: gw.Decisions) -> Any:
        actions = super().act(decisions)
        if self.calls == self.at:
            raise TimeoutError("no answer")
        return actions


class Single:
    """A door: an environment of one learner, and the calls that need a reset."""

    def __init__(self, opponent: Any, **settings: Any) -> None:
        # Gymnasium's checker does not survive an exception in the first reset.
        options: dict[str, Any] = {"disable_env_checker": True, "render_mode": "ansi", **settings}
        self.env: Any = gymnasium.make(ID, opponent=opponent, rules="tiny", **options)
        own = self.env.unwrapped
        self.calls: list[Callable[[], Any]] = [lambda: self.env.step(0), own.action_masks, own.render]

    def reset(self) -> None:
        _, self.info = self.env.reset(seed=SEED)

    def step(self) -> Any:
        _, reward, *_, self.info = self.env.step(int(self.info["action_mask"].argmax()))
        return reward


class Several(Single):
    def __init__(self, opponent: Any, **settings: Any) -> None:
        self.env = gymnasium.make_vec(ID, num_envs=3, opponent=opponent, rules="tiny", **settings)
        own = self.env.unwrapped
        self.calls = [lambda: self.env.step([0, 0, 0]), own.action_masks]

    def step(self) -> Any:
        _, rewards, *_, self.info = self.env.step(self.info["action_mask"].argmax(1))
        return rewards.tolist()


class OfStableBaselines:
    def __init__(self, opponent: Any) -> None:
        pytest.importorskip("stable_baselines3")
        from german_whist.sb3 import GermanWhistVecEnv

        self.env = GermanWhistVecEnv(3, rules="tiny", opponent=opponent)
        self.calls: list[Callable[[], Any]] = [lambda: self.env.step(np.zeros(3, int)), self.env.action_masks]

    def reset(self) -> None:
        self.env.seed(SEED)
        self.env.reset()

    def step(self) -> Any:
        return self.env.step(self.env.action_masks().argmax(1))[1].tolist()


class InWords:
    def __init__(self, opponent: Any) -> None:
        env = self.env = gw.TextEnv("tiny", opponent)
        self.calls: list[Callable[[], Any]] = [
            lambda: env.step("[SA]"),
            env.prompt,
            lambda: env.legal,
            lambda: env.view,
        ]

    def reset(self) -> None:
        self.env.reset(seed=SEED)

    def step(self) -> Any:
        return self.env.step((self.env.legal or ["SA"])[0])[:2]


DOORS: dict[str, Callable[[Any], Any]] = {
    "one learner": Single,
    "dense rewards": lambda opponent: Single(opponent, dense=True),
    "several": Several,
    "no autoreset": lambda opponent: Several(opponent, autoreset_mode="NEXT_STEP"),
    "device": lambda opponent: Several(opponent, device="cpu"),
    "SB3": OfStableBaselines,
    "text": InWords,
}


def play(door: Any) -> list[Any]:
    door.reset()
    return [door.step() for _ in range(4)]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("at", range(1, 5))
def test_next_call_is_a_reset(door: str, at: int) -> None:
    if door == "device":
        pytest.importorskip("torch")
    env = DOORS[door](Unreachable(at))
    with pytest.raises(TimeoutError, match="no answer"):
        play(env)
    for call in env.calls:
        with pytest.raises(ResetNeeded):
            call()
    assert play(env) == play(DOORS[door](Lowest()))


def test_every_row_is_reset() -> None:
    some_rows = {"reset_mask": np.array([True, False, True])}
    env = Several(Unreachable(3))
    with pytest.raises(TimeoutError, match="no answer"):
        play(env)
    with pytest.raises(ResetNeeded):
        env.env.reset(options=some_rows)
    env.reset()
    env.env.reset(options=some_rows)


def test_refused_reset_changes_nothing() -> None:
    for door in (Single, Several):
        env = door(Lowest())
        env.reset()
        with pytest.raises(ValueError, match="-1"):
            env.env.reset(seed=-1)
        env.step()

from __future__ import annotations

import gymnasium
import numpy as np
import pettingzoo
import pytest

import german_whist as gw
from german_whist.registration import GYMNASIUM_ID, PETTINGZOO_ID


def test_star_import_has_documented_names() -> None:
    names: dict[str, object] = {}
    exec("from german_whist import *", names)
    assert set(gw.__all__) <= set(names)
    assert [name for name in gw.__all__ if not (names[name].__doc__ or "").strip()] == []
    assert [name for name in gw.__all__ if names[name] is not getattr(gw, name)] == []


def test_mistyped_name_names_the_right_one() -> None:
    with pytest.raises(AttributeError, match="play_mach"):
        getattr(gw, "play_mach")  # noqa: B009


@pytest.mark.filterwarnings("error")
def test_pettingzoo_make_takes_settings() -> None:
    game = pettingzoo.make("aec", PETTINGZOO_ID, reward="win", render_mode="ansi")
    assert game.unwrapped.reward == "win"
    assert game.unwrapped.rules == gw.rules("classic")
    game.reset(seed=1)
    expected = gw.env()
    expected.reset(seed=1)
    np.testing.assert_equal(game.last(), expected.last())


@pytest.mark.filterwarnings("error")
def test_gymnasium_make_plays_a_deal() -> None:
    game = gymnasium.make(f"german_whist:{GYMNASIUM_ID}", opponent="greedy", rules="classic", reward="points")
    _, info = game.reset(seed=1)
    terminated, steps = False, 0
    while not terminated:
        _, _, terminated, _, info = game.step(int(np.flatnonzero(info["action_mask"])[0]))
        steps += 1
    assert steps == 26


@pytest.mark.filterwarnings("error")
def test_default_opponent_is_heuristic() -> None:
    usual = gymnasium.make(f"german_whist:{GYMNASIUM_ID}")
    assert usual.unwrapped.opponent.name == "heuristic"  # type: ignore[attr-defined]
    agent = gw.make_agent("greedy")
    batch = gymnasium.make_vec(f"german_whist:{GYMNASIUM_ID}", num_envs=3, opponent=agent)
    assert batch.unwrapped.opponent is agent  # type: ignore[attr-defined]
    _, info = batch.reset(seed=1)
    batch.step(info["action_mask"].argmax(axis=1))

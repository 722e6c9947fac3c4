"""House rules: a function of finished deals in place of a reward's name, at every door."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import german_whist as gw
from german_whist.envs.gymnasium_env import GermanWhistEnv
from german_whist.envs.gymnasium_vector_env import GermanWhistVectorEnv


def last_trick_twice(batch: gw.DealBatch) -> Any:
    scores = batch.returns("margin")
    scores += np.where(batch.turn[:, None] == [0, 1], 1, -1)  # the winner of the last trick would lead next
    return scores


@pytest.mark.parametrize("rules", ["classic", "small"])
def test_last_trick_counts_twice(rules: str) -> None:
    batch = gw.DealBatch(rules, 50, seed=5)
    before = batch.margins()
    while not batch.done.all():
        before = batch.margins()
        decisions = batch.decisions()
        batch.step(decisions.action_masks.argmax(1), decisions.rows)
    gained = batch.returns("margin") - before
    assert (batch.returns(last_trick_twice) == batch.returns("margin") + np.sign(gained)).all()


def lowest(observations: Any, action_masks: Any) -> Any:
    return action_masks.argmax(1)


class Lowest:
    act = staticmethod(lowest)


def test_all_doors_pay_the_same() -> None:
    batch = gw.DealBatch("small", 4, seed=7)
    while not batch.done.all():
        decisions = batch.decisions()
        batch.step(decisions.action_masks.argmax(1), decisions.rows)
    paid = last_trick_twice(batch)[:, 0].tolist()
    envs = GermanWhistVectorEnv(Lowest(), 4, "small", last_trick_twice, 0, autoreset_mode="DISABLED")
    _, info = envs.reset(seed=7)
    while not envs._episodes.over.all():
        mask = info["action_mask"]
        mask[envs._episodes.over, 0] = 1
        _, rewards, ended, _, info = envs.step(mask.argmax(1))
    assert ended.all()
    assert rewards.tolist() == paid
    for row in range(4):
        env = GermanWhistEnv(Lowest(), "small", last_trick_twice, 0)
        _, info = env.reset(options={"deal": (7, row)})
        terminated, reward = False, 0.0
        while not terminated:
            _, reward, terminated, _, info = env.step(info["action_mask"].argmax())
        assert reward == paid[row]
    match = gw.play_match(Lowest(), Lowest(), deals=4, seed=7, rules="small", score=last_trick_twice)
    assert match.margins[:, 0].tolist() == paid
    assert match.wins == match.losses == (match.margins > 0).sum()


def wrong_shape(batch: gw.DealBatch) -> Any:
    return batch.returns("margin")[:, 0]


def test_wrong_score_functions_are_refused() -> None:
    with pytest.raises(ValueError, match=r"wrong_shape.*\(1,\)"):
        gw.DealBatch("small", 1).returns(wrong_shape)
    with pytest.raises(ValueError, match="first_to:25"):
        GermanWhistEnv("greedy", "classic", last_trick_twice, match="first_to:25")
    with pytest.raises(ValueError, match="best_of:3"):
        gw.play_match("greedy", "random", deals=2, match="best_of:3", score=last_trick_twice)
    with pytest.raises(ValueError, match="last_trick_twice"):
        gw.env(reward=last_trick_twice, dense=True)
    with pytest.raises(ValueError, match="tricks"):
        gw.play_match("greedy", "random", deals=2, score="tricks")  # type: ignore[arg-type]

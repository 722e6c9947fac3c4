"""Shares of agents: who plays a deal follows from its address, at every door."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import german_whist as gw
from german_whist.simulator.decisions import Decisions
from german_whist.simulator.episodes import Episodes
from tests.agents.networks import some_network
from tests.players import Lowest

ID = "german_whist:GermanWhist-v0"
SHARES: dict[Any, float] = {"heuristic": 0.5, "random": 0.3}


def played(**settings: Any) -> list[list[float]]:
    """Return the rewards of each row, playing lowest cards for a while."""
    envs = gymnasium.make_vec(ID, rules="classic", **settings)
    _, info = envs.reset(seed=4)
    rewards = []
    for _ in range(60):
        _, reward, _, _, info = envs.step(info["action_mask"].argmax(axis=1))
        rewards.append(reward.tolist())
    return [*map(list, zip(*rewards, strict=True))]


class Noting(Lowest):
    """Notes the rows that it was asked about last."""

    def act(self, decisions: Decisions) -> Any:
        self.noted = decisions.rows.tolist()
        return super().act(decisions)


def many_deals(seed: int) -> Episodes:
    episodes = Episodes("classic", 2000)
    episodes.reset(seed)
    return episodes


def test_shares_are_drawn_by_deal() -> None:
    first = Noting()
    agent, episodes = gw.make_agent({first: 0.5, Lowest(): 0.3}), many_deals(5)
    agent.act(episodes.decisions(episodes.every_row))
    found = first.noted
    assert len(found) / 2000 == pytest.approx(0.5 / 0.8, abs=0.03)
    for _ in range(25):
        episodes.step(episodes.every_row, agent.act(episodes.decisions(episodes.every_row)))
        assert first.noted == found
    agent.act(episodes.decisions(np.arange(7, 90)))
    assert first.noted == [row for row in found if 7 <= row < 90]
    episodes.reset(6)
    agent.act(episodes.decisions(episodes.every_row))
    assert first.noted != found


def test_shares_may_hold_shares() -> None:
    first, second, third = Lowest(), Lowest(), Lowest()
    agent = gw.make_agent({gw.make_agent({first: 0.5, second: 0.5}): 0.5, third: 0.5})
    episodes = many_deals(5)
    agent.act(episodes.decisions(episodes.every_row))
    assert [one.rows for one in (first, second, third)] == pytest.approx([500, 500, 1000], abs=80)


def test_shares_need_the_deals() -> None:
    with pytest.raises(ValueError, match="part of deals"):
        gw.make_agent(SHARES).act(gw.DealBatch("classic", 2).decisions(rng=np.random.default_rng(0)))


def test_mixture_independent_of_batch() -> None:
    wide, again, narrow = played(opponent=SHARES, num_envs=4), played(opponent=SHARES, num_envs=4), []
    assert wide == again
    for deal in range(4):
        env = gymnasium.make(ID, opponent=SHARES)
        _, info = env.reset(options={"deal": (4, deal)})
        over = False
        while not over:
            _, reward, over, _, info = env.step(int(info["action_mask"].argmax()))
        narrow.append(float(reward))
    assert [next(filter(None, row)) for row in wide] == narrow


def test_every_environment_takes_shares() -> None:
    pytest.importorskip("stable_baselines3")
    from german_whist.sb3 import GermanWhistVecEnv

    for make in (
        lambda opponent: gymnasium.make(ID, opponent=opponent),
        lambda opponent: gymnasium.make_vec(ID, num_envs=8, opponent=opponent),
        lambda opponent: GermanWhistVecEnv(8, opponent=opponent),
        lambda opponent: gw.TextEnv(opponent=opponent),
    ):
        old, new = Lowest(), Lowest()
        env = make({old: 1.0})
        bare = getattr(env, "unwrapped", env)
        for agent, other in ((old, new), (new, old)):
            for seat in (0, 1, 0, 1):
                if isinstance(bare, GermanWhistVecEnv):
                    bare.set_options({"dealer": seat})
                    bare.reset()
                else:
                    bare.reset(options={"dealer": seat})
            assert agent.rows > 0
            agent.rows = 0
            bare.opponent = {new: 2}
            other.rows = 0
    result = gw.play_match({"greedy": 1, Lowest(): 1}, "random", deals=20)
    assert result.first == "greedy or Lowest"


@pytest.mark.parametrize("shares", [{}, {"greedy": 0}, {"greedy": -1}, {"greedy": float("nan")}])
def test_shares_are_above_0(shares: Any) -> None:
    with pytest.raises(ValueError, match="shares"):
        gymnasium.make(ID, opponent=shares)


def test_all_agents_play_the_same_game(tmp_path: Path) -> None:
    some_network(game="tiny").save(tmp_path / "tiny.safetensors")
    with pytest.raises(ValueError, match="tiny"):
        gw.make_agent({"champion": 1, f"checkpoint:{tmp_path}/tiny.safetensors": 1})

"""A smoke run of the installed package, for an environment that holds nothing else: ``python smoke.py``."""

import importlib.util

import gymnasium
import numpy as np

import german_whist as gw
from german_whist.envs.pettingzoo_env import env

for name in ("torch", "pytest", "tests"):
    assert importlib.util.find_spec(name) is None, f"{name} is installed: this is no bare environment"

rng = np.random.default_rng(0)

game = env()
game.reset(seed=0)
for _seat in game.agent_iter():
    observation, _, terminated, truncated, _ = game.last()
    legal = np.flatnonzero(observation["action_mask"])
    game.step(None if terminated or truncated else int(rng.choice(legal)))

single = gymnasium.make("german_whist:GermanWhist-v0", opponent="heuristic")
_, info = single.reset(seed=0)
terminated = False
while not terminated:
    _, reward, terminated, _, info = single.step(int(np.flatnonzero(info["action_mask"])[0]))

for name in gw.agent_names():
    if name not in ("checkpoint", "python", "mc", "ismcts"):
        agent = gw.make_agent(name)
        assert len(agent.act(gw.DealBatch(agent.rules or "classic", 8).decisions(rng=rng))) == 8
result = gw.play_match("champion:endgame=played", "random", deals=100)
assert result.interval[0] > 0.5, result
print(f"german-whist {gw.__version__} works: champion won {result.win_rate:.0%} of its games against random")

"""Your own agent in a PettingZoo loop: REINFORCE on both seats, in plain torch: ``python examples/pettingzoo_loop.py``.

``agent_iter`` visits both seats once more after the last card, and ``env.last()`` then returns each seat's reward. So
every decision is credited with the result of the seat that made it, even if that seat lost and did not move last.
It printed, in 48 s of processor time: 68.8 % against random, 95 % interval 67.0 to 70.7 %
"""

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

import german_whist as gw

GAME = {"rules": "classic", "endgame": "exact"}


class Learner(nn.Sequential):
    canonical = True  # trumps become spades, …: one strategy for all suits

    def forward(self, obs, mask):
        out = super().forward(torch.as_tensor(obs, dtype=torch.float32))
        return Categorical(logits=out[..., :-1].masked_fill(torch.as_tensor(mask) == 0, -1e9)), out[..., -1]

    @torch.no_grad()
    def act(self, observations, action_masks):  # makes it an agent, which plays its best card
        return self(observations, action_masks)[0].probs.argmax(-1)


def play_deal(env, learner):
    decisions, pending = [], {agent: [] for agent in env.possible_agents}
    env.reset()
    for agent in env.agent_iter():
        seen, reward, terminated, truncated, _ = env.last()
        if terminated or truncated:
            decisions += [(*decision, reward / 10) for decision in pending[agent]]
            action = None
        else:
            with torch.inference_mode():
                action = int(learner(seen["observation"], seen["action_mask"])[0].sample())
            pending[agent].append((seen["observation"], seen["action_mask"], action))
        env.step(action)
    return decisions


def main(updates=80, deals_per_update=64, deals=1000):
    torch.manual_seed(1)
    env = gw.env(canonical=True, **GAME)
    env.reset(seed=1)
    learner = Learner(nn.Linear(443, 128), nn.ReLU(), nn.Linear(128, 52 + 1))
    optimizer = torch.optim.Adam(learner.parameters(), lr=2e-3)
    for _ in range(updates):
        decisions = []
        for _ in range(deals_per_update):
            decisions += play_deal(env, learner)
        obs, mask, action, result = (torch.as_tensor(np.array(column)) for column in zip(*decisions, strict=True))
        dist, value = learner(obs, mask)
        advantage = result.float() - value
        loss = advantage.square() - dist.log_prob(action) * advantage.detach() - 0.01 * dist.entropy()
        optimizer.zero_grad()
        loss.mean().backward()
        optimizer.step()

    return gw.play_match(learner, "random", deals=deals, seed=1000, **GAME)


if __name__ == "__main__":
    result = main()
    low, high = result.interval
    print(f"{100 * result.win_rate:.1f} % against random, 95 % interval {100 * low:.1f} to {100 * high:.1f} %")

"""PPO as in CleanRL, plain torch on the vector environment, with masks: ``python examples/cleanrl_ppo.py``.

The opponent plays inside ``step``: a transition runs from the learner's decision to its own next one, losses included.
``make_vec`` deals again in the same step, so an action, its reward and its ``done`` share an index.
It printed, in 49 s: 76.8% against random, 95 % interval 75.1% 78.6%
"""

import gymnasium
import torch
from torch import nn
from torch.distributions import Categorical

import german_whist as gw

GAME = {"rules": "classic", "endgame": "played"}


class Learner(nn.Sequential):
    def forward(self, obs, mask):  # the same mask when acting and when learning
        out = super().forward(torch.as_tensor(obs, dtype=torch.float32))
        return Categorical(logits=out[..., :-1].masked_fill(torch.as_tensor(mask) == 0, -1e9)), out[..., -1]


def main(decisions=1_000_000, n=128, horizon=64, deals=1000):
    envs = gymnasium.make_vec("german_whist:GermanWhist-v0", num_envs=n, opponent="greedy", **GAME)
    torch.manual_seed(1)
    learner = Learner(nn.Linear(443, 256), nn.ReLU(), nn.Linear(256, 52 + 1))
    optimizer = torch.optim.Adam(learner.parameters(), lr=1e-3, eps=1e-5)
    obs, info = envs.reset(seed=1)
    for _ in range(max(1, decisions // (n * horizon))):
        steps = []
        for _ in range(horizon):
            with torch.no_grad():
                dist, value = learner(obs, info["action_mask"])
            seen = obs, info["action_mask"], (action := dist.sample()), dist.log_prob(action), value
            obs, reward, done, _, info = envs.step(action.numpy())
            steps.append([torch.as_tensor(x) for x in (*seen, reward / 10, done)])
        o, m, a, old, v, r, done = map(torch.stack, zip(*steps, strict=True))
        after, trace, adv = learner(obs, info["action_mask"])[1].detach(), 0.0, torch.zeros_like(v)
        for t in reversed(range(horizon)):
            trace = adv[t] = r[t] + (after + 0.95 * trace) * ~done[t] - v[t]
            after = v[t]
        o, m, a, old, adv, goal = (x.flatten(0, 1) for x in (o, m, a, old, adv, adv + v))
        for rows in (rows for _ in range(2) for rows in torch.randperm(len(a)).split(1024)):
            dist, value = learner(o[rows], m[rows])
            gain = (adv[rows] - adv[rows].mean()) / (adv[rows].std() + 1e-8)
            ratio = (dist.log_prob(a[rows]) - old[rows]).exp()
            loss = -torch.min(gain * ratio, gain * ratio.clamp(0.8, 1.2)) - 0.01 * dist.entropy()
            optimizer.zero_grad()
            (loss + 0.5 * (value - goal[rows]) ** 2).mean().backward()
            optimizer.step()
    with torch.no_grad():
        agent = gw.ObservationAgent(lambda obs, mask: learner(obs, mask)[0].probs.argmax(-1), GAME["rules"])
        return gw.play_match(agent, "random", deals, seed=1000, **GAME)


if __name__ == "__main__":
    print(f"{(result := main()).win_rate:.1%} against random, 95 % interval", *(f"{p:.1%}" for p in result.interval))

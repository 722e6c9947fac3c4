"""PPO as in CleanRL, in plain torch on the vector environment, with masks: ``python examples/cleanrl_ppo.py``.

The opponent plays inside ``step``, so a transition runs from one decision of the learner to its next, or to the end of
the deal. ``make_vec`` resets in the same step, so an action, its reward and its ``done`` share an index.
It printed, in 46 s of processor time: 72.9 % against random, 95 % interval 71.1 to 74.6 %
"""

import gymnasium
import torch
from torch import nn
from torch.distributions import Categorical

import german_whist as gw

GAME = {"rules": "classic", "endgame": "exact"}


class Learner(nn.Module):
    canonical = True  # trumps become spades, …: one strategy for all suits

    def __init__(self, hidden=256):
        super().__init__()
        self.network = nn.Sequential(nn.Linear(443, hidden), nn.ReLU(), nn.Linear(hidden, 52 + 1))

    def forward(self, obs, mask):  # the same mask when acting and when learning
        out = self.network(torch.as_tensor(obs, dtype=torch.float32))
        logits, value = out[..., :-1], out[..., -1]
        return Categorical(logits=logits.masked_fill(torch.as_tensor(mask) == 0, -1e9)), value

    @torch.no_grad()
    def act(self, observations, action_masks):  # makes it an agent, which plays its best card
        return self(observations, action_masks)[0].probs.argmax(-1)


@torch.no_grad()
def collect(envs, learner, obs, mask, horizon):
    """Play ``horizon`` steps; return them as tensors [horizon, n], with the observations and masks that follow."""
    steps = []
    for _ in range(horizon):
        policy, value = learner(obs, mask)
        action = policy.sample()
        step = [obs, mask, action, policy.log_prob(action), value]
        obs, reward, done, _, info = envs.step(action.numpy())
        mask = info["action_mask"]
        steps.append([torch.as_tensor(column) for column in (*step, reward / 10, done)])
    return [torch.stack(column) for column in zip(*steps, strict=True)], obs, mask


def advantages(values, rewards, done, after):
    """Return GAE (gamma=1, lambda=0.95) for values [horizon, n]; ``after`` is the value of the state that follows."""
    found, trace = torch.zeros_like(values), 0.0
    for t in reversed(range(len(values))):
        trace = rewards[t] + (after + 0.95 * trace) * ~done[t] - values[t]
        found[t] = trace
        after = values[t]
    return found


def update(learner, optimizer, obs, mask, actions, old, advantage, goals):
    """Take PPO's steps: two passes over the decisions."""
    for _ in range(2):
        for rows in torch.randperm(len(actions)).split(1024):
            policy, value = learner(obs[rows], mask[rows])
            gain = (advantage[rows] - advantage[rows].mean()) / (advantage[rows].std() + 1e-8)
            ratio = (policy.log_prob(actions[rows]) - old[rows]).exp()
            policy_loss = -torch.min(gain * ratio, gain * ratio.clamp(0.8, 1.2)) - 0.01 * policy.entropy()
            value_loss = (value - goals[rows]) ** 2
            optimizer.zero_grad()
            (policy_loss + 0.5 * value_loss).mean().backward()
            optimizer.step()


def train(decisions=1_000_000, seed=1, n=128, horizon=64):
    envs = gymnasium.make_vec("german_whist:GermanWhist-v0", num_envs=n, opponent="greedy", canonical=True, **GAME)
    torch.manual_seed(seed)
    learner = Learner()
    optimizer = torch.optim.Adam(learner.parameters(), lr=1e-3, eps=1e-5)
    obs, info = envs.reset(seed=seed)
    mask = info["action_mask"]
    for _ in range(max(1, decisions // (n * horizon))):
        steps, obs, mask = collect(envs, learner, obs, mask, horizon)
        seen, masks, actions, old, values, rewards, done = steps
        with torch.no_grad():
            after = learner(obs, mask)[1]
        advantage = advantages(values, rewards, done, after)
        columns = (seen, masks, actions, old, advantage, advantage + values)
        update(learner, optimizer, *(column.flatten(0, 1) for column in columns))
    return learner


def main(deals=1000, **settings):
    return gw.play_match(train(**settings), "random", deals=deals, seed=1000, **GAME)


if __name__ == "__main__":
    result = main()
    low, high = result.interval
    print(f"{100 * result.win_rate:.1f} % against random, 95 % interval {100 * low:.1f} to {100 * high:.1f} %")

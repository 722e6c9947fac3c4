"""An attention policy on event histories, trained by PPO: ``python examples/history_attention.py``.

With ``observation="both"`` the learner gets the vector of what it knows and the history of how it came about. A query
made from the vector looks over the events; what it finds joins the vector. ``canonical=True`` relabels both.
It printed, in 6 minutes of processor time: 58.5 % against greedy, 95 % interval 56.5 to 60.5 %
"""

import gymnasium
import torch
from torch import nn
from torch.distributions import Categorical

import german_whist as gw

GAME = {"rules": "classic", "endgame": "exact"}
SIZES = ((12, 8), (3, 4), (53, 16), (27, 4))  # number of values and width of the embedding, by column of a history
OPENING = 27  # the dealer and the dealt cards, which the vector shows better


class Learner(nn.Module):
    """A policy and value network; as an agent it plays its best card."""

    name = "attention"
    canonical = True  # it gets canonical decisions, and its actions are canonical
    uses_histories = True  # matches keep histories for it

    def __init__(self, heads=4, hidden=256):
        super().__init__()
        self.embed = nn.ModuleList(nn.Embedding(*size) for size in SIZES)
        width = sum(width for _, width in SIZES)
        self.query = nn.Linear(443, width)
        self.attend = nn.MultiheadAttention(width, heads, batch_first=True)
        self.head = nn.Sequential(
            nn.Linear(443 + width, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 52 + 1)
        )

    def forward(self, vector, events, mask):
        vector, longest = vector.float(), int((events[:, :, 0] > 0).sum(1).max())
        events = events[:, OPENING:longest].int()
        rows = torch.cat([embed(events[:, :, column]) for column, embed in enumerate(self.embed)], 2)
        query, padding = self.query(vector)[:, None], events[:, :, 0] == 0
        found, _ = self.attend(query, rows, rows, key_padding_mask=padding, need_weights=False)
        out = self.head(torch.cat([vector, found[:, 0]], 1))
        return Categorical(logits=out[:, :52].masked_fill(mask == 0, -1e9), validate_args=False), out[:, 52]

    @torch.no_grad()
    def act(self, decisions):
        tokens, _ = decisions.histories
        policy, _ = self(*map(torch.from_numpy, (decisions.observations, tokens, decisions.action_masks)))
        return policy.probs.argmax(1)


def seen(observation, info):
    return [
        torch.from_numpy(part) for part in (observation["observation"], observation["history"], info["action_mask"])
    ]


@torch.no_grad()
def collect(envs, learner, inputs, horizon):
    """Play ``horizon`` steps; return them as columns [horizon, n], advantages and goals last, and the next inputs."""
    steps, rewards, ends = [], [], []
    for _ in range(horizon):
        policy, value = learner(*inputs)
        action = policy.sample()
        steps.append([*inputs, action, policy.log_prob(action), value])
        observation, reward, done, _, info = envs.step(action.numpy())
        inputs = seen(observation, info)
        rewards.append(torch.from_numpy(reward).float() / 10)
        ends.append(torch.from_numpy(done))
    columns = [torch.stack(column) for column in zip(*steps, strict=True)]
    values, after, trace = columns.pop(), learner(*inputs)[1], 0.0
    gains = torch.zeros_like(values)
    for t in reversed(range(horizon)):  # a step leads to the learner's own next decision: plain GAE is right
        gains[t] = trace = rewards[t] + (after + 0.95 * trace) * ~ends[t] - values[t]
        after = values[t]
    return [column.flatten(0, 1) for column in (*columns, gains, gains + values)], inputs


def update(learner, optimizer, columns, entropy):
    """Take PPO's steps: two passes over the decisions."""
    *inputs, actions, old, gains, goals = columns
    gains = (gains - gains.mean()) / (gains.std() + 1e-8)
    for _ in range(2):
        for rows in torch.randperm(len(actions)).split(1024):
            policy, value = learner(*(part[rows] for part in inputs))
            ratio = (policy.log_prob(actions[rows]) - old[rows]).exp()
            gain = torch.min(gains[rows] * ratio, gains[rows] * ratio.clamp(0.8, 1.2))
            loss = (0.5 * (value - goals[rows]).square() - gain - entropy * policy.entropy()).mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(learner.parameters(), 0.5)
            optimizer.step()


def train(decisions=1_000_000, n=256, horizon=26, opponent="greedy", entropy=0.01, seed=1):
    torch.manual_seed(seed)
    game = "german_whist:GermanWhist-v0"
    envs = gymnasium.make_vec(game, n, opponent=opponent, observation="both", canonical=True, **GAME)
    learner = Learner()
    optimizer = torch.optim.Adam(learner.parameters(), lr=1e-3, eps=1e-5)
    inputs = seen(*envs.reset(seed=seed))
    updates = max(1, decisions // (n * horizon))
    for number in range(updates):
        optimizer.param_groups[0]["lr"] = 1e-3 * (1 - number / updates)
        columns, inputs = collect(envs, learner, inputs, horizon)
        update(learner, optimizer, columns, entropy)
    return learner


def main(deals=1000, **settings):
    return gw.play_match(train(**settings), "greedy", deals=deals, seed=1000, **GAME)


if __name__ == "__main__":
    result = main()
    low, high = result.interval
    print(f"{100 * result.win_rate:.1f} % against greedy, 95 % interval {100 * low:.1f} to {100 * high:.1f} %")

"""An attention network on event histories, trained by PPO against past selves, as a ``Trainer`` of one's own:

    german-whist train python:examples/attention_trainer.py:PPO --out runs/attention
    german-whist evaluate runs/attention random greedy heuristic --endgame exact

With ``observation="both"`` the learner gets the vector of what it knows and the history of how it came about. A query
made from the vector looks over the events; what it finds joins the vector. ``canonical=True`` relabels both.
The loop evaluates, draws the curve, saves, stops and resumes, here exactly: an update depends on the snapshot alone.
"""

import gymnasium
import torch
from safetensors.torch import load_file
from torch import nn
from torch.distributions import Categorical

import german_whist as gw
from german_whist.agents.module_checkpoint import ModuleCheckpoint, load_weights
from german_whist.game.rules import rules
from german_whist.training.config import TrainConfig
from german_whist.training.loop import TRAINING_DEALS, Trainer

SIZES = ((12, 8), (3, 4), (53, 16), (27, 4))  # number of values and width of the embedding, by column of a history
OPENING = 27  # the dealer and the dealt cards, which the vector shows better
INPUTS, ACTIONS = 443, 52


class Attention(nn.Module):
    """A policy and value network; as an agent it plays its best card."""

    canonical = True  # it gets canonical decisions, and its actions are canonical
    uses_histories = True  # matches keep histories for it

    def __init__(self, heads=4, hidden=256, checkpoint=None):
        super().__init__()
        width = sum(width for _, width in SIZES)
        self.embed = nn.ModuleList(nn.Embedding(*size) for size in SIZES)
        self.query = nn.Linear(INPUTS, width)
        self.attend = nn.MultiheadAttention(width, heads, batch_first=True)
        layers = nn.Linear(INPUTS + width, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU()
        self.head = nn.Sequential(*layers, nn.Linear(hidden, ACTIONS + 1))
        if checkpoint is not None:
            self.load_state_dict(load_file(checkpoint))

    def forward(self, vector, events, mask):
        vector, longest = vector.float(), int((events[:, :, 0] > 0).sum(1).max())
        events = events[:, OPENING:longest].int()
        rows = torch.cat([embed(events[:, :, column]) for column, embed in enumerate(self.embed)], 2)
        query, padding = self.query(vector)[:, None], events[:, :, 0] == 0
        found, _ = self.attend(query, rows, rows, key_padding_mask=padding, need_weights=False)
        out = self.head(torch.cat([vector, found[:, 0]], 1))
        return Categorical(logits=out[:, :ACTIONS].masked_fill(mask == 0, -1e9), validate_args=False), out[:, ACTIONS]

    @torch.no_grad()
    def act(self, decisions):
        tokens, _ = decisions.histories
        policy, _ = self(*map(torch.from_numpy, (decisions.observations, tokens, decisions.action_masks)))
        return policy.probs.argmax(1)


class Settings(TrainConfig):
    """Settings beside those of every trainer, such as ``decisions``; these are its defaults."""

    decisions: int = 750_000
    opponents: dict[str, float] = {"pool": 0.5, "greedy": 0.5}  # noqa: RUF012 - pydantic copies it
    num_envs: int = 256
    num_steps: int = 26  # two deals
    epochs: int = 2
    entropy: float = 0.01
    clip: float = 0.2
    trace: float = 0.95
    endgame: str = "exact"
    init: str = ""  # a run of this file, or a file of weights, to start from


class PPO(Trainer[Settings]):
    """Proximal policy optimisation on the vector environment."""

    config_class = Settings

    def __init__(self, config, run, processes):
        super().__init__(config, run, processes)
        torch.manual_seed(config.seed)
        self.network = Attention()
        self.optimizer = torch.optim.Adam(self.network.parameters(), config.learning_rate, eps=1e-5)
        self.envs = gymnasium.make_vec(
            "german_whist:GermanWhist-v0",
            config.num_envs,
            rules=config.rules,
            opponent="random",  # until the first update
            observation="both",
            canonical=True,
            endgame=config.endgame,
        )

    def begin(self):
        if self.config.init:
            load_weights(self.network, self.config.init)

    def update(self):
        config = self.config
        torch.manual_seed(config.seed + self.decisions)
        left = 1 - self.decisions / config.decisions
        self.optimizer.param_groups[0]["lr"] = config.learning_rate_at(left)
        self.envs.unwrapped.opponent = self.opponents()
        columns = self.collect()
        losses = [self.step(columns, rows) for _ in range(config.epochs) for rows in self.minibatches(columns)]
        played = config.num_envs * config.num_steps
        self.decisions += played
        return played, {"losses/loss": sum(losses) / len(losses)}

    @torch.no_grad()
    def collect(self):
        """Play; return columns [steps * envs]: inputs, actions, their log-probabilities, advantages and returns."""
        deal = self.config.seed, TRAINING_DEALS + self.decisions
        inputs = self.seen(*self.envs.reset(options={"deal": deal}))
        steps, rewards, ends = [], [], []
        for _ in range(self.config.num_steps):
            policy, value = self.network(*inputs)
            action = policy.sample()
            steps.append([*inputs, action, policy.log_prob(action), value])
            observation, reward, done, _, info = self.envs.step(action.numpy())
            inputs = self.seen(observation, info)
            rewards.append(torch.from_numpy(reward).float() / 10)
            ends.append(torch.from_numpy(done))
        columns = [torch.stack(column) for column in zip(*steps, strict=True)]
        values, after, trace = columns.pop(), self.network(*inputs)[1], 0.0
        gains = torch.zeros_like(values)
        for t in reversed(range(len(rewards))):  # a step leads to the learner's own next decision: plain GAE is right
            gains[t] = trace = rewards[t] + (after + self.config.trace * trace) * ~ends[t] - values[t]
            after = values[t]
        return [column.flatten(0, 1) for column in (*columns, gains, gains + values)]

    def seen(self, observation, info):
        parts = observation["observation"], observation["history"], info["action_mask"]
        return [torch.from_numpy(part) for part in parts]

    def minibatches(self, columns):
        return torch.randperm(len(columns[0])).split(self.config.batch_size)

    def step(self, columns, rows):
        *inputs, actions, old, gains, goals = (column[rows] for column in columns)
        policy, value = self.network(*inputs)
        ratio = (policy.log_prob(actions) - old).exp()
        gains = (gains - gains.mean()) / (gains.std() + 1e-8)
        gain = torch.min(gains * ratio, gains * ratio.clamp(1 - self.config.clip, 1 + self.config.clip))
        loss = (0.5 * (value - goals).square() - gain - self.config.entropy * policy.entropy()).mean()
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), 0.5)
        self.optimizer.step()
        return loss.item()

    def checkpoint(self):
        card = self.model_card("PPO with attention over histories")
        return ModuleCheckpoint(self.network, rules(self.config.rules), card, endgame=self.config.endgame)

    def save_snapshot(self):
        state = self.network.state_dict(), self.optimizer.state_dict()
        torch.save((self.decisions, *state), self.run.model)

    def restore(self):
        self.decisions, network, optimizer = torch.load(self.run.model)
        self.network.load_state_dict(network)
        self.optimizer.load_state_dict(optimizer)


if __name__ == "__main__":
    print(gw.train(PPO, quiet=True))

"""TorchRL's PPO in self-play on the PettingZoo (AEC) environment: ``python examples/torchrl_aec.py``.

TorchRL hands on both seats' rewards and masks, but advantages along the rollout would mix the seats up. Here the
decisions of each seat become a trajectory of their own: each is paid until that seat's next one, whoever plays between.
It printed, in 71 s: 68.2% against random, 95 % interval 66.3% 70.0%
"""

import numpy as np
import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.envs import PettingZooWrapper
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

import german_whist as gw

GAME = {"rules": "classic", "endgame": "exact"}
OBS = ("observation", "observation")


class Network(nn.Sequential):
    def __init__(self, outputs):
        super().__init__(nn.Linear(443, 256), nn.ReLU(), nn.Linear(256, outputs))

    def forward(self, observation):
        return super().forward(observation.float())

    @torch.no_grad()
    def act(self, views, rng):  # makes it an agent for play_match
        masks = views["legal"][:, None] >> np.arange(52, dtype=np.uint64) & np.uint64(1)
        logits = self(torch.from_numpy(gw.observe(views, GAME["rules"]))).numpy()
        return np.where(masks == 1, logits, -np.inf).argmax(axis=1)


def decisions_of(seat, data):
    at = data[seat, "mask"].flatten().nonzero().flatten()
    now, after, start = at[:-1], at[1:], torch.zeros(1)
    paid = torch.cat([start, data["next", seat, "reward"].flatten().cumsum(0)]) / 10
    over = torch.cat([start, data["next", "done"].flatten().cumsum(0)])
    done, reward = (over[after] > over[now])[:, None], (paid[after] - paid[now])[:, None]
    later = {"observation": data[seat][after]["observation"].squeeze(1), "reward": reward}
    later = TensorDict(later | {"done": done, "terminated": done}, now.shape)
    return data[seat][now].squeeze(1).exclude("done", "terminated").set("next", later)


def main(decisions=20_000, horizon=1000, deals=1000):
    torch.manual_seed(1)
    spread, logits = (
        {"logits": "logits", "mask": "action_mask"},
        TensorDictModule(net := Network(52), [OBS], ["logits"]),
    )
    actor = ProbabilisticActor(logits, spread, distribution_class=MaskedCategorical, return_log_prob=True)
    critic = ValueOperator(Network(1), [OBS])
    loss = ClipPPOLoss(actor, critic, entropy_coeff=0.01, critic_coeff=0.5, normalize_advantage=True)
    advantages = GAE(gamma=1.0, lmbda=0.95, value_network=critic)
    optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)
    env = PettingZooWrapper(gw.env(**GAME), use_mask=True, done_on_any=True, seed=1)
    both = TensorDictSequential

"""TorchRL's PPO in self-play on the PettingZoo (AEC) environment: ``python examples/torchrl_aec.py``.

TorchRL hands on both seats' rewards and masks, but advantages along the rollout would mix the seats up. Here the
decisions of each seat become a trajectory of their own: each is paid until that seat's next one, whoever plays between.
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


def network(outputs, inputs=443):
    return nn.Sequential(nn.Linear(inputs, 256), nn.ReLU(), nn.Linear(256, outputs))


class Learner:
    def __init__(self, net):
        self.net = net

    @torch.no_grad()
    def act(self, views, rng):  # makes it an agent for play_match
        masks = views["legal"][:, None] >> np.arange(52, dtype=np.uint64) & np.uint64(1)
        logits = self.net(torch.from_numpy(gw.observe(views, GAME["rules"])).float()).numpy()
        return np.where(masks == 1, logits, -np.inf).argmax(axis=1)


def decisions_of(seat, data):
    """One seat's decisions as a TorchRL trajectory."""
    at = data[seat, "mask"].flatten().nonzero().flatten()
    now, after = at[:-1], at[1:]
    paid = torch.cat([torch.zeros(1), data["next", seat, "reward"].flatten().cumsum(0)])
    over = torch.cat([torch.zeros(1), data["next", "done"].flatten().cumsum(0)])
    chosen = data[seat][now].squeeze(1).select("obs", "action_mask", "action", "action_log_prob")
    done = (over[after] > over[now])[:, None]
    paid = (paid[after] - paid[now])[:, None] / 10
    later = {"obs": data[seat][after]["obs"].squeeze(1), "reward": paid, "done": done, "terminated": done}
    return chosen.set("next", TensorDict(later, chosen.shape))


def main(decisions=20_000, horizon=1000, deals=1000):
    torch.manual_seed(1)
    net = network(52)
    logits = TensorDictModule(net, ["obs"], ["logits"])
    spread = {"logits": "logits", "mask": "action_mask"}
    actor = ProbabilisticActor(logits, spread, distribution_class=MaskedCategorical, return_log_prob=True)
    critic = ValueOperator(network(1), ["obs"])
    loss = ClipPPOLoss(actor, critic, entropy_coeff=0.01, critic_coeff=0.5, normalize_advantage=True)
    advantages = GAE(gamma=1.0, lmbda=0.95, value_network=critic)
    optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)
    env = PettingZooWrapper(gw.env(**GAME), use_mask=True, done_on_any=True, seed=1)

    @torch.no_grad()
    def choose(tensordict):  # both seats, though only one of them moves
        for seat in env.possible_agents:
            actor(tensordict[seat].set("obs", tensordict[seat, "observation", "observation"].float()))
        return tensordict

    for _ in range(max(1, decisions // horizon)):
        data = env.rollout(horizon, choose, break_when_any_done=False)
        batch = torch.cat([advantages(decisions_of(seat, data)) for seat in env.possible_agents])
        for _ in range(4):
            for rows in torch.randperm(len(batch)).split(250):
                losses = loss(batch[rows])
                optimizer.zero_grad()
                sum(value for name, value in losses.items() if name.startswith("loss_")).backward()
                optimizer.step()
    return gw.play_match(Learner(net), "random", deals, seed=1000, **GAME)


if __name__ == "__main__":
    print(f"{(result := main()).win_rate:.1%} against random, 95 % interval", *(f"{p:.1%}" for p in result.interval))

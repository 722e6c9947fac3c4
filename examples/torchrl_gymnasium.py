"""TorchRL's PPO on the Gymnasium vector environment against ``greedy``: ``python examples/torchrl_gymnasium.py``.

The mask is part of the observation, under its key. The opponent plays inside ``step``, so all steps are the
learner's own and GAE along them is right. ``make_vec`` is one native batch, of which TorchRL resets finished rows.
It printed, in 71 s of processor time: 70.3 % against random, 95 % interval 68.5 to 72.2 %
"""

import gymnasium
import torch
from tensordict.nn import InteractionType, TensorDictModule
from torch import nn
from torchrl.envs import DTypeCastTransform, GymWrapper, TransformedEnv
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

import german_whist as gw

GAME = {"rules": "classic", "endgame": "exact"}


class Network(nn.Sequential):
    canonical = True  # trumps become spades, …: one strategy for all suits

    def __init__(self, outputs):
        super().__init__(nn.Linear(443, 256), nn.ReLU(), nn.Linear(256, outputs))

    @torch.no_grad()
    def act(self, observations, action_masks):  # makes it an agent, which plays its best card
        logits = self(torch.from_numpy(observations).float())
        return logits.masked_fill(~torch.from_numpy(action_masks), -1e9).argmax(-1)


def train(decisions=300_000, seed=1, rows=64, horizon=65):
    torch.manual_seed(seed)
    options = {"opponent": "greedy", "canonical": True, "observation_keys": ("observation", "action_mask")}
    envs = gymnasium.make_vec(
        "german_whist:GermanWhist-v0", num_envs=rows, autoreset_mode="DISABLED", **options, **GAME
    )
    env = TransformedEnv(GymWrapper(envs, categorical_action_encoding=True))
    env.append_transform(DTypeCastTransform(torch.int8, torch.float32, in_keys=["observation"]))
    env.append_transform(DTypeCastTransform(torch.int8, torch.bool, in_keys=["action_mask"]))
    env.set_seed(seed)
    net = Network(52)
    logits = TensorDictModule(net, ["observation"], ["logits"])
    keys = {"logits": "logits", "mask": "action_mask"}
    sampled = {"default_interaction_type": InteractionType.RANDOM, "return_log_prob": True}  # else it plays the argmax
    actor = ProbabilisticActor(logits, keys, distribution_class=MaskedCategorical, **sampled)
    critic = ValueOperator(Network(1), ["observation"])
    loss = ClipPPOLoss(actor, critic, entropy_coeff=0.01, critic_coeff=0.01, normalize_advantage=True)
    advantages = GAE(gamma=1.0, lmbda=0.95, value_network=critic)
    optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)
    for _ in range(max(1, decisions // (rows * horizon))):
        with torch.no_grad():
            data = env.rollout(horizon, actor, break_when_any_done=False)
        batch = advantages(data).flatten()
        for _ in range(2):
            for picked in torch.randperm(len(batch)).split(512):
                losses = loss(batch[picked])
                optimizer.zero_grad()
                (losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]).backward()
                optimizer.step()
    return net


def main(deals=1000, **settings):
    return gw.play_match(train(**settings), "random", deals=deals, seed=1000, **GAME)


if __name__ == "__main__":
    result = main()
    low, high = result.interval
    print(f"{100 * result.win_rate:.1f} % against random, 95 % interval {100 * low:.1f} to {100 * high:.1f} %")

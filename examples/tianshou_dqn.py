"""Tianshou: double DQN with masks against ``greedy`` on the Gymnasium environment: ``python examples/tianshou_dqn.py``.

The mask is part of the observation, and Tianshou's Q-learning reads it: in exploration, in its policy and in the
maximum of the targets. The opponent plays inside ``step``, so the next observation is the learner's own.
It printed, in 150 s of processor time: 62.3 % against random, 95 % interval 60.4 to 64.1 %
"""

import gymnasium
import numpy as np
import torch
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OffPolicyTrainerParams
from torch import nn

import german_whist as gw

GAME = {"rules": "classic", "endgame": "exact"}


class Network(nn.Sequential):
    canonical = True  # trumps become spades, …: one strategy for all suits

    def __init__(self, hidden=256):
        super().__init__(nn.Linear(443, hidden), nn.ReLU(), nn.Linear(hidden, 52))

    def forward(self, observations, state=None, info=None):
        return super().forward(torch.as_tensor(observations, dtype=torch.float32)), state

    @torch.no_grad()
    def act(self, observations, action_masks):  # makes it an agent, which plays its best card
        values = self(observations)[0]
        return values.masked_fill(torch.as_tensor(action_masks) == 0, -1e9).argmax(-1)


def make_env():
    options = {"opponent": "greedy", "canonical": True, "observation_keys": ("obs", "mask")}
    return gymnasium.make("german_whist:GermanWhist-v0", **options, **GAME)


def train(decisions=50_000, seed=1):
    torch.manual_seed(seed)
    np.random.seed(seed)  # Tianshou's own draws
    envs = DummyVectorEnv([make_env] * 16)
    envs.seed(seed)
    network = Network()
    policy = DiscreteQLearningPolicy(model=network, action_space=envs.action_space[0], eps_training=0.1)
    dqn = DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=1.0, target_update_freq=500)
    params = OffPolicyTrainerParams(
        training_collector=Collector(dqn, envs, VectorReplayBuffer(100_000, 16), exploration_noise=True),
        max_epochs=1,
        epoch_num_steps=decisions,
        batch_size=256,
        collection_step_num_env_steps=64,
        update_step_num_gradient_steps_per_sample=1 / 16,
        show_progress=False,
        verbose=False,
    )
    dqn.run_training(params)
    return network


def main(deals=1000, **settings):
    return gw.play_match(train(**settings), "random", deals=deals, seed=1000, **GAME)


if __name__ == "__main__":
    result = main()
    low, high = result.interval
    print(f"{100 * result.win_rate:.1f} % against random, 95 % interval {100 * low:.1f} to {100 * high:.1f} %")

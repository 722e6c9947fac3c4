"""Tianshou: PPO with masks against ``greedy`` on the Gymnasium environment: ``python examples/tianshou_ppo.py``.

The mask is part of the observation. Tianshou's Q-learning reads ``obs.mask`` by itself; for PPO the actor below does.
The opponent plays inside ``step``, so the next observation is the learner's own; in ``PettingZooEnv`` it would be the
opponent's.
It printed, in 65 s of processor time: 68.9 % against random, 95 % interval 67.0 to 70.8 %
"""

import gymnasium
import numpy as np
import torch
from tianshou.algorithm import PPO
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OnPolicyTrainerParams
from torch import nn

import german_whist as gw

GAME = {"rules": "classic", "endgame": "exact"}


class Critic(nn.Sequential):
    def __init__(self, outputs=1):
        super().__init__(nn.Linear(443, 256), nn.ReLU(), nn.Linear(256, outputs))

    def forward(self, batch, state=None, info=None):
        return super().forward(torch.as_tensor(batch.obs, dtype=torch.float32))


class Actor(Critic):
    canonical = True  # trumps become spades, …: one strategy for all suits

    def forward(self, batch, state=None, info=None):
        return super().forward(batch).masked_fill(torch.as_tensor(batch.mask) == 0, -1e9), state

    @torch.no_grad()
    def act(self, observations, action_masks):  # makes it an agent, which plays its best card
        return self(Batch(obs=observations, mask=action_masks))[0].argmax(-1)


def make_env():
    options = {"opponent": "greedy", "canonical": True, "observation_keys": ("obs", "mask")}
    return gymnasium.make("german_whist:GermanWhist-v0", **options, **GAME)


def train(decisions=50_000, seed=1, steps=2048):
    torch.manual_seed(seed)
    np.random.seed(seed)  # Tianshou's own draws
    envs = DummyVectorEnv([make_env] * 16)
    envs.seed(seed)
    actor = Actor(52)
    policy = DiscreteActorPolicy(actor=actor, action_space=envs.action_space[0])
    ppo = PPO(policy=policy, critic=Critic(), optim=AdamOptimizerFactory(lr=1e-3), gamma=1.0, max_grad_norm=0.5)
    collector = Collector(ppo, envs, VectorReplayBuffer(steps, 16))
    params = OnPolicyTrainerParams(
        training_collector=collector,
        max_epochs=1,
        epoch_num_steps=decisions,
        batch_size=256,
        collection_step_num_env_steps=steps,
        update_step_num_repetitions=4,
        show_progress=False,
        verbose=False,
    )
    ppo.run_training(params)
    return actor


def main(deals=1000, **settings):
    return gw.play_match(train(**settings), "random", deals=deals, seed=1000, **GAME)


if __name__ == "__main__":
    result = main()
    low, high = result.interval
    print(f"{100 * result.win_rate:.1f} % against random, 95 % interval {100 * low:.1f} to {100 * high:.1f} %")

"""Tianshou: double DQN against ``greedy`` on the Gymnasium environment: ``python examples/tianshou_dqn.py``.

Tianshou's Q-learners look for the mask in the observation, as ``obs.mask``; a wrapper of three lines puts it there, and
then it also guards the maximum over the next state. The opponent plays inside ``step``, so the next observation is the
learner's own. (``PettingZooEnv`` hands the opponent's observation over as the next state.)
"""

import gymnasium
import numpy as np
import torch
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

import german_whist as gw

GAME = {"rules": "classic", "endgame": "exact"}


class MaskInObservation(gymnasium.ObservationWrapper):
    def observation(self, observation):
        return {"obs": observation.astype(np.float32), "mask": self.unwrapped.action_masks()}


class Learner:
    def __init__(self, policy):
        self.policy = policy.eval()

    @torch.no_grad()
    def act(self, views, rng):  # makes it an agent for play_match
        masks = views["legal"][:, None] >> np.arange(52, dtype=np.uint64) & np.uint64(1)
        seen = Batch(obs=gw.observe(views, GAME["rules"]).astype(np.float32), mask=masks == 1)
        return self.policy(Batch(obs=seen, info={})).act


def make_env():
    return MaskInObservation(gymnasium.make("german_whist:GermanWhist-v0", opponent="greedy", **GAME))


def main(decisions=50_000, deals=1000):
    torch.manual_seed(1)
    np.random.seed(1)
    env, envs = make_env(), DummyVectorEnv([make_env] * 16)
    envs.seed(1)
    net = Net(state_shape=env.observation_space.shape, action_shape=52, hidden_sizes=[256])
    policy = DiscreteQLearningPolicy(model=net, action_space=env.action_space, eps_training=0.1)
    dqn = DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=1.0, n_step_return_horizon=13, target_update_freq=200)
    collector = Collector(dqn, envs, VectorReplayBuffer(50_000, 16))
    params = OffPolicyTrainerParams(
        training_collector=collector,
        max_epochs=1,
        epoch_num_steps=decisions,
        collection_step_num_env_steps=256,
        update_step_num_gradient_steps_per_sample=1 / 8,
        batch_size=256,
        verbose=False,
    )
    dqn.run_training(params)
    return gw.play_match(Learner(policy), "random", deals, seed=1000, **GAME)


if __name__ == "__main__":
    print(f"{(result := main()).win_rate:.1%} against random, 95 % interval", *(f"{p:.1%}" for p in result.interval))

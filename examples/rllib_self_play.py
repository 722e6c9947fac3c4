"""RLlib: PPO in self-play, one policy for both seats, with masks: ``python examples/rllib_self_play.py``.

RLlib's ``PettingZooEnv`` pays each seat at its own next decision and both at the end, and RLlib keeps a trajectory per
agent, so credit is right without further work. Its masking module expects the keys ``observations`` and
``action_mask``.
It printed, in 72 s of processor time: 62.2 % against random, 95 % interval 60.2 to 64.1 %
"""

import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env

import german_whist as gw

GAME = {"rules": "classic", "endgame": "exact"}
KEYS = ("observations", "action_mask")


class MaskedModule(ActionMaskingTorchRLModule):
    def _preprocess_batch(self, batch, **settings):  # RLlib leaves the conversion of int8 to the module
        batch["obs"] = {key: tensor.float() for key, tensor in batch["obs"].items()}
        return super()._preprocess_batch(batch, **settings)


class Player:
    canonical = True  # trumps become spades, …: one strategy for all suits

    def __init__(self, module):
        self.module = module

    @torch.no_grad()
    def act(self, observations, action_masks):
        seen = dict(zip(KEYS, map(torch.from_numpy, (observations, action_masks)), strict=True))
        return self.module.forward_inference({"obs": seen})["action_dist_inputs"].argmax(-1)


def train(decisions=24_000, seed=1):
    register_env("german_whist", lambda _: PettingZooEnv(gw.env(observation_keys=KEYS, canonical=True, **GAME)))
    module = RLModuleSpec(MaskedModule, model_config={"fcnet_hiddens": [256], "head_fcnet_hiddens": []})
    config = (
        PPOConfig()
        .environment("german_whist", disable_env_checking=True)
        .env_runners(num_env_runners=0)
        .multi_agent(policies={"both"}, policy_mapping_fn=lambda *_, **__: "both")
        .rl_module(rl_module_spec=module)
        .training(train_batch_size_per_learner=4000, minibatch_size=500, num_epochs=4, lr=1e-3, gamma=1.0)
        .training(entropy_coeff=0.01, vf_clip_param=200.0)
        .debugging(seed=seed, log_level="ERROR")
    )
    ppo = config.build_algo()
    for _ in range(max(1, decisions // 4000)):
        ppo.train()
    return Player(ppo.get_module("both"))


def main(deals=1000, **settings):
    return gw.play_match(train(**settings), "random", deals=deals, seed=1000, **GAME)


if __name__ == "__main__":
    result = main()
    low, high = result.interval
    print(f"{100 * result.win_rate:.1f} % against random, 95 % interval {100 * low:.1f} to {100 * high:.1f} %")

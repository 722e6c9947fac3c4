"""``trainer: sb3``: MaskablePPO of sb3-contrib on native batches.

PPO with a clipped objective (Schulman et al., arXiv 1707.06347), GAE (arXiv 1506.02438) and masked logits (Huang and
Ontañón, arXiv 2006.14171), as sb3-contrib implements them; the discount is 1. Learning rate and entropy coefficient
change linearly over the run.

The learner holds one seat of each deal. The opponent in the other seat is drawn for each rollout: the learner as it is
then, an earlier checkpoint, or an agent by name. Saving and loading are Stable-Baselines3's own: a resumed run
continues with the weights and optimiser state that were saved, but with new deals.
"""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.torch_layers import FlattenExtractor
from stable_baselines3.common.utils import ConstantSchedule

from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.checkpoint import Checkpoint, load_checkpoint
from german_whist.agents.registry import make_agent
from german_whist.envs.agent import Agent
from german_whist.envs.engine.rules import rules
from german_whist.envs.observation.vector import observation_high, observation_layout
from german_whist.sb3 import GermanWhistVecEnv
from german_whist.training.config import POOL, SELF, SB3Config
from german_whist.training.networks import feature_scale
from german_whist.training.processes import Processes
from german_whist.training.rollouts import TRAINING_DEALS
from german_whist.training.run import (
    Callback,
    Periodic,
    RunDirectory,
    RunRecords,
    StopRequest,
    TrainingOutcome,
    code_version,
    stop_signals,
)

METRICS = (
    *("charts/SPS", "charts/seconds", "train/learning_rate", "train/entropy_loss", "train/policy_gradient_loss"),
    *("train/value_loss", "train/loss", "train/explained_variance", "train/approx_kl", "train/clip_fraction"),
)


def train_sb3(
    config: SB3Config,
    run: RunDirectory,
    resume: bool,
    quiet: bool,
    processes: Processes,
    callback: Callback | None,
) -> TrainingOutcome:
    """Train with MaskablePPO; see :func:`german_whist.train`."""
    if processes.size > 1:
        raise ValueError("trainer sb3 runs in one process: several need trainer policy_iteration")
    envs = GermanWhistVecEnv(
        config.num_envs, rules=config.rules, opponent="random", reward=config.reward, canonical=True
    )
    model = _model(config, envs, run, resume)
    model.set_random_seed((config.seed + model.num_timesteps) % 2**32)
    envs.set_options({"deal": (config.seed, TRAINING_DEALS + model.num_timesteps)})
    if resume:
        run.drop_records_after(model.num_timesteps)
        run.write_config(config)
    else:
        run.begin(config)
        _save(model, config, run)
    stop = StopRequest()
    with (
        RunRecords(run, config, METRICS, model.num_timesteps, quiet=quiet, callback=callback) as records,
        stop_signals(stop, records.say),
    ):
        records.say(f"training in {run.given}")
        save_is_due = Periodic(config.checkpoint_every, model.num_timesteps)
        while (done := model.num_timesteps) < config.decisions:
            if save_is_due(done):
                _save(model, config, run)
            records.evaluate_if_due(done, lambda: _checkpoint(model, config), stop)
            records.begin_update()
            left = 1.0 - done / config.decisions
            model.lr_schedule = ConstantSchedule(config.learning_rate_at(left))
            model.ent_coef = config.ent_coef_at(left)
            envs.opponent = _opponent(model, config, run)
            model.learn(1, lambda *_: not stop.is_made, log_interval=None, reset_num_timesteps=False)  # type: ignore[arg-type]
            if stop.is_made:
                model.num_timesteps = done  # the interrupted rollout is discarded
                _save_model(model, run)
                return TrainingOutcome(run, done, ())
            records.show_rollout(done, model.num_timesteps - done)
            numbers = {name: float(model.logger.name_to_value[name]) for name in METRICS}
            if not math.isfinite(numbers["train/loss"]):
                raise FloatingPointError(f"training diverged before decision {model.num_timesteps}: the loss is NaN")
            records.write_update(model.num_timesteps, numbers)
        _save(model, config, run)
        return records.finish(model.num_timesteps, _checkpoint(model, config), stop)


class ScaledObservations(FlattenExtractor):
    """Scales observations; :func:`_checkpoint` folds the factors into the first layer's weights."""

    scale: torch.Tensor

    def __init__(self, observation_space: spaces.Box, scale: torch.Tensor) -> None:
        """Set the factors, float32[features]."""
        super().__init__(observation_space)
        self.register_buffer("scale", scale)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Return the scaled observations, float32[rows, features]."""
        return observations * self.scale


def _model(config: SB3Config, envs: GermanWhistVecEnv, run: RunDirectory, resume: bool) -> MaskablePPO:
    """Return a new model, or that of a run to resume."""
    settings: dict[str, Any] = {
        "n_steps": config.num_steps,
        "batch_size": min(config.batch_size, config.num_envs * config.num_steps),
        "n_epochs": config.epochs,
        "device": config.device,
        "seed": config.seed,
    }
    if resume:
        model = MaskablePPO.load(run.model, envs, custom_objects=settings)
    else:
        game = rules(config.rules)
        policy = {
            "features_extractor_class": ScaledObservations,
            "features_extractor_kwargs": {
                "scale": feature_scale(observation_high(game), observation_layout(game).get("low"))
            },
            "net_arch": config.hidden,
            "activation_fn": torch.nn.ReLU,
            "optimizer_kwargs": {"eps": 1e-5},
        }
        # gamma: a trick counts the same whenever it is won
        model = MaskablePPO("MlpPolicy", envs, gamma=1.0, policy_kwargs=policy, **settings)
    model.set_logger(Logger(None, []))
    return model


def _checkpoint(model: MaskablePPO, config: SB3Config) -> Checkpoint:
    """Return a checkpoint of the current policy."""
    policy: Any = model.policy
    linear = [module for module in policy.mlp_extractor.policy_net if isinstance(module, torch.nn.Linear)]
    layers = [
        (layer.weight.detach().cpu().numpy().copy(), layer.bias.detach().cpu().numpy().copy())
        for layer in (*linear, policy.action_net)
    ]
    layers[0] = layers[0][0] * policy.features_extractor.scale.cpu().numpy(), layers[0][1]
    about = {
        "algorithm": "self-play MaskablePPO (sb3-contrib)",
        "decisions": model.num_timesteps,
        "config": config.model_dump(),
        "code": code_version(),
    }
    return Checkpoint(tuple(layers), rules(config.rules), about)


def _save(model: MaskablePPO, config: SB3Config, run: RunDirectory) -> None:
    """Write a checkpoint, which joins the pool, and the model to resume from."""
    _checkpoint(model, config).save(run.checkpoint_path(model.num_timesteps))
    _save_model(model, run)


def _save_model(model: MaskablePPO, run: RunDirectory) -> None:
    temporary = run.model.with_name(".model.tmp.zip")
    model.save(temporary)
    os.replace(temporary, run.model)


def _opponent(model: MaskablePPO, config: SB3Config, run: RunDirectory) -> Agent:
    """Draw the opponent of the next rollout, with probabilities proportional to the shares."""
    rng = np.random.default_rng((config.seed, model.num_timesteps))
    names, shares = zip(*config.opponents.items(), strict=True)
    name = names[rng.choice(len(names), p=np.array(shares) / sum(shares))]
    if name == SELF:
        return PolicyAgent(_checkpoint(model, config), 1.0)
    if name == POOL:
        past = run.checkpoint_paths()[-config.pool_size :]
        return PolicyAgent(load_checkpoint(past[rng.integers(len(past))]), 1.0)
    named: Agent = make_agent(name, config.rules)
    return named

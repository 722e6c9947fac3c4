"""``trainer: sb3``: MaskablePPO of sb3-contrib on native batches.

PPO with a clipped objective (Schulman et al., arXiv 1707.06347), GAE (arXiv 1506.02438) and masked logits (Huang and
Ontañón, arXiv 2006.14171), as sb3-contrib implements them; the discount is 1. Learning rate and entropy coefficient
change linearly over the run.

The learner holds one seat of each deal. In the other is the learner as it was before the rollout, an earlier
checkpoint, or an agent by name. Saving and loading are Stable-Baselines3's own: a resumed run continues with the
weights and optimiser state that were saved, but with new deals.
"""

from __future__ import annotations

import io
from typing import Any

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.utils import ConstantSchedule

from german_whist.agents.base import AgentLike
from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.checkpoint import Checkpoint, load_checkpoint
from german_whist.game.rules import rules
from german_whist.game.utils.files import write_atomically
from german_whist.sb3 import GermanWhistVecEnv
from german_whist.training.config import POOL, SELF, SB3Config
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
    diverged,
    stop_signals,
)

EXPLODED = 1e6  # a weight this large means divergence


def train_sb3(
    config: SB3Config, run: RunDirectory, resume: bool, quiet: bool, processes: Processes, callback: Callback | None
) -> TrainingOutcome:
    """Train with MaskablePPO; see :func:`german_whist.train`."""
    if processes.size > 1:
        raise ValueError("trainer sb3 runs in one process: several need trainer policy_iteration")
    envs = GermanWhistVecEnv(config.num_envs, rules=config.rules, reward=config.reward, canonical=True)
    settings: dict[str, Any] = {
        "n_steps": config.num_steps,
        "batch_size": min(config.batch_size, config.num_envs * config.num_steps),
        "n_epochs": config.epochs,
        "device": config.device,
    }
    if resume:
        try:
            model = MaskablePPO.load(run.model, envs, config.device, settings)
        except Exception as error:  # of any type, AssertionError for half a file
            raise ValueError(f"{run.model} cannot be loaded ({type(error).__name__}: {error})") from error
        run.drop_records_after(model.num_timesteps)
        run.write_config(config)
    else:
        policy = {"net_arch": config.hidden, "activation_fn": torch.nn.ReLU}
        model = MaskablePPO("MlpPolicy", envs, gamma=1.0, seed=config.seed, policy_kwargs=policy, **settings)
        run.begin(config)
        _save(model, config, run)
    model.set_logger(Logger(None, []))  # no outputs: `records` writes the numbers
    envs.set_options({"deal": (config.seed, TRAINING_DEALS + model.num_timesteps)})
    stop, save_is_due = StopRequest(), Periodic(config.checkpoint_every, model.num_timesteps)
    with (
        RunRecords(run, config, model.num_timesteps, quiet=quiet, callback=callback) as records,
        stop_signals(stop, records.say),
    ):
        records.say(f"training in {run.given}")
        while (done := model.num_timesteps) < config.decisions:
            if save_is_due(done):
                _save(model, config, run)
            records.evaluate_if_due(done, lambda: _checkpoint(model, config))
            if stop.is_made:
                _save(model, config, run)
                return TrainingOutcome(run, done, ())
            records.begin_update()
            left = 1.0 - done / config.decisions
            model.lr_schedule = ConstantSchedule(config.learning_rate_at(left))
            model.ent_coef = config.ent_coef_at(left)
            envs.opponent = _opponents(model, config, run)
            try:
                model.learn(1, log_interval=None, reset_num_timesteps=False)  # type: ignore[arg-type]
            finally:  # torch's distributions raise another error for NaN
                if not all(bool((weight.abs() < EXPLODED).all()) for weight in model.policy.parameters()):
                    raise diverged(run, model.num_timesteps, f"a weight is not below {EXPLODED:g}") from None
            records.write_update(model.num_timesteps, model.num_timesteps - done, model.logger.name_to_value)
        _save(model, config, run)
        if stop.is_made:
            return TrainingOutcome(run, model.num_timesteps, ())
        return records.finish(model.num_timesteps, _checkpoint(model, config))


def _save(model: MaskablePPO, config: SB3Config, run: RunDirectory) -> None:
    """Write a checkpoint, which joins the pool, and the model to resume from."""
    _checkpoint(model, config).save(run.checkpoint_path(model.num_timesteps))
    content = io.BytesIO()
    model.save(content)
    write_atomically(run.model, content.getvalue())


def _checkpoint(model: MaskablePPO, config: SB3Config) -> Checkpoint:
    """Return a checkpoint of the current policy."""
    policy: Any = model.policy
    modules = (*policy.mlp_extractor.policy_net, policy.action_net)
    layers = [
        (module.weight.detach().cpu().numpy().copy(), module.bias.detach().cpu().numpy().copy())
        for module in modules
        if isinstance(module, torch.nn.Linear)
    ]
    about = {
        "algorithm": "MaskablePPO (sb3-contrib)",
        "decisions": model.num_timesteps,
        "config": config.model_dump(),
        "code": code_version(),
    }
    return Checkpoint(tuple(layers), rules(config.rules), about)


def _opponents(model: MaskablePPO, config: SB3Config, run: RunDirectory) -> dict[AgentLike, float]:
    """Return the opponents of the next rollout and their shares of the deals."""
    shares: dict[AgentLike, float] = {}
    for name, share in config.opponents.items():
        if name == SELF:
            shares[PolicyAgent(_checkpoint(model, config), 1.0)] = share
        elif name == POOL:
            past = run.checkpoint_paths()[-config.pool_size :]
            shares |= {PolicyAgent(load_checkpoint(path), 1.0): share / len(past) for path in past}
        else:
            shares[name] = share
    return shares

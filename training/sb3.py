"""``trainer: sb3``: MaskablePPO of sb3-contrib on native batches.

PPO with a clipped objective (Schulman et al., arXiv 1707.06347), GAE (arXiv 1506.02438) and masked logits (Huang and
Ontañón, arXiv 2006.14171), as sb3-contrib implements them; the discount is 1. Learning rate and entropy coefficient
change linearly over the run.

The learner holds one seat of each deal. The opponent in the other seat is drawn for each rollout: the learner as it is
then, an earlier checkpoint, or an agent by name. Saving and loading are Stable-Baselines3's own: a resumed run
continues with the weights and optimiser state that were saved, but with new deals.
"""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.torch_layers import FlattenExtractor

from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.checkpoint import Checkpoint, load_checkpoint
from german_whist.agents.registry import make_agent
from german_whist.envs.agent import Agent
from german_whist.envs.engine.rules import rules
from german_whist.envs.observation.vector import observation_high, observation_layout
from german_whist.envs.utils.device import torch_device
from german_whist.envs.utils.files import write_atomically
from german_whist.sb3 import GermanWhistVecEnv
from german_whist.training.config import POOL, SELF, SB3Config
from german_whist.training.networks import feature_scale
from german_whist.training.processes import Processes
from german_whist.training.records import Callback, Periodic, RunRecords, TrainingOutcome
from german_whist.training.rollouts import TRAINING_DEALS
from german_whist.training.run import RunDirectory, StopRequest, cannot_resume, code_version, stop_signals

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
    """Train with MaskablePPO; see :func:`german_whist.training.train.train`."""
    if processes.size > 1:
        raise ValueError("trainer: sb3 runs in one process; several need trainer: policy_iteration")
    # Validating distributions, whose masks are our own, would cost a tenth of the time.
    torch.distributions.Distribution.set_default_validate_args(False)
    learner, stop = Learner(config, run, resume), StopRequest()
    model = learner.model
    with (
        RunRecords(run, config, METRICS, model.num_timesteps, quiet=quiet, callback=callback) as records,
        stop_signals(stop, records.say),
    ):
        records.say(f"training in {run.path}")
        save_is_due = Periodic(config.checkpoint_every, model.num_timesteps)
        while (done := model.num_timesteps) < config.decisions:
            if save_is_due(done):
                learner.save()
            records.evaluate_if_due(done, learner.checkpoint, stop)
            records.begin_update()
            learner.prepare_rollout()
            model.learn(1, lambda *_: not stop.is_made, log_interval=None, reset_num_timesteps=False)  # type: ignore[arg-type]
            if stop.is_made:
                model.num_timesteps = done  # the interrupted rollout is discarded
                learner.save_model()
                return TrainingOutcome(run, done, ())
            learner.check_finite()
            records.show_rollout(done, model.num_timesteps - done)
            numbers = {name: float(model.logger.name_to_value[name]) for name in METRICS}
            records.write_update(model.num_timesteps, numbers)
        learner.save()
        return records.finish(model.num_timesteps, learner.checkpoint(), stop)


class ScaledObservations(FlattenExtractor):
    """Scales observations; :meth:`Learner.checkpoint` folds the factors into the first layer's weights."""

    scale: torch.Tensor

    def __init__(self, observation_space: spaces.Box, scale: torch.Tensor) -> None:
        """Set the factors, float32[features]."""
        super().__init__(observation_space)
        self.register_buffer("scale", scale)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Return the scaled observations, float32[rows, features]."""
        return observations * self.scale


class Learner:
    """A MaskablePPO model, its environments and its opponents.

    Attributes:
        model: the MaskablePPO model.
    """

    def __init__(self, config: SB3Config, run: RunDirectory, resume: bool) -> None:
        """Begin a run, or load it to resume.

        Raises:
            ValueError: if the run cannot be resumed, the device does not exist or the network is too large.
        """
        if config.device != "auto":  # for a missing GPU, Stable-Baselines3 would silently use the CPU
            torch_device(config.device)
        self._config, self._run, self._rules = config, run, rules(config.rules)
        self._named = {name: make_agent(name, self._rules) for name in config.opponents if name not in (SELF, POOL)}
        self._envs = GermanWhistVecEnv(
            config.num_envs, rules=self._rules, opponent="random", reward=config.reward, canonical=True
        )
        settings = {
            "n_steps": config.num_steps,
            "batch_size": min(config.batch_size, config.num_envs * config.num_steps),
            "n_epochs": config.epochs,
            "device": config.device,
        }
        self.model = self._load(settings) if resume else self._new(settings)
        self.model.set_logger(Logger(None, []))
        self.model.set_random_seed((config.seed + self.model.num_timesteps) % 2**32)
        self._envs.set_options({"deal": (config.seed, TRAINING_DEALS + self.model.num_timesteps)})
        if resume:
            run.drop_records_after(self.model.num_timesteps)
            if run.overrides:
                run.write_config(config)
        else:
            run.begin(config)
            self.save()

    def _new(self, settings: dict[str, Any]) -> MaskablePPO:
        scale = feature_scale(observation_high(self._rules), observation_layout(self._rules).get("low"))
        policy = {
            "features_extractor_class": ScaledObservations,
            "features_extractor_kwargs": {"scale": scale},
            "net_arch": self._config.hidden,
            "activation_fn": torch.nn.ReLU,
            "optimizer_kwargs": {"eps": 1e-5},
        }
        try:
            # gamma: a trick counts the same whenever it is won
            return MaskablePPO("MlpPolicy", self._envs, gamma=1.0, policy_kwargs=policy, **settings)
        except RuntimeError as error:  # torch's error when memory is short
            raise ValueError(f"the network cannot be made: {str(error).splitlines()[0]}") from None

    def _load(self, settings: dict[str, Any]) -> MaskablePPO:
        try:
            model = MaskablePPO.load(self._run.model, self._envs, custom_objects=settings)
            if model.policy_kwargs["net_arch"] != self._config.hidden:
                raise ValueError(f"its hidden layers are {model.policy_kwargs['net_arch']}")
        except Exception as error:  # a damaged archive can raise anything
            raise cannot_resume(self._run.model, error) from None
        return model

    def checkpoint(self) -> Checkpoint:
        """Return a checkpoint of the current policy."""
        policy: Any = self.model.policy
        linear = [module for module in policy.mlp_extractor.policy_net if isinstance(module, torch.nn.Linear)]
        layers = [
            (layer.weight.detach().cpu().numpy().copy(), layer.bias.detach().cpu().numpy().copy())
            for layer in (*linear, policy.action_net)
        ]
        layers[0] = layers[0][0] * policy.features_extractor.scale.cpu().numpy(), layers[0][1]
        about = {
            "algorithm": "self-play MaskablePPO (sb3-contrib)",
            "decisions": self.model.num_timesteps,
            "config": self._config.to_dict(),
            "code": code_version(),
        }
        return Checkpoint(tuple(layers), self._rules, about)

    def save(self) -> None:
        """Write a checkpoint, which joins the pool, and ``model.zip`` to resume from."""
        self.checkpoint().save(self._run.checkpoint_path(self.model.num_timesteps))
        self.save_model()

    def save_model(self) -> None:
        """Write ``model.zip``, Stable-Baselines3's own format, to resume from."""
        file = io.BytesIO()
        self.model.save(file)
        write_atomically(self._run.model, file.getvalue())

    def prepare_rollout(self) -> None:
        """Set the opponent of the next rollout, and the learning rate and entropy coefficient of its update."""
        config, model = self._config, self.model
        left = 1.0 - model.num_timesteps / config.decisions
        rate = config.learning_rate_at(left)
        model.lr_schedule = lambda _: rate
        model.ent_coef = config.ent_coef_at(left)
        self._envs.opponent = self._opponent()

    def _opponent(self) -> Agent:
        """Draw the opponent of the next rollout, with probabilities proportional to the shares."""
        rng = np.random.default_rng((self._config.seed, self.model.num_timesteps))
        names, shares = zip(*self._config.opponents.items(), strict=True)
        name = names[rng.choice(len(names), p=np.array(shares) / sum(shares))]
        if name == SELF:
            return PolicyAgent(self.checkpoint(), 1.0)
        if name == POOL:
            past = self._run.checkpoint_paths()[-self._config.pool_size :]
            return PolicyAgent(load_checkpoint(past[rng.integers(len(past))]), 1.0)
        return self._named[name]

    def check_finite(self) -> None:
        """Check that all weights are finite.

        Raises:
            FloatingPointError: naming the weight that is not.
        """
        for name, weight in self.model.policy.named_parameters():
            if not torch.isfinite(weight).all():
                raise FloatingPointError(
                    f"training diverged before decision {self.model.num_timesteps}: {name} is not finite; the "
                    f"checkpoints before it are in {self._run.checkpoints}"
                )

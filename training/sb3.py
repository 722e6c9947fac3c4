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

from german_whist.agents.policy.checkpoint import Checkpoint
from german_whist.game.rules import rules
from german_whist.game.utils.files import write_atomically
from german_whist.sb3 import GermanWhistVecEnv
from german_whist.training.loop import TRAINING_DEALS, Trainer
from german_whist.training.processes import Processes
from german_whist.training.run.directory import RunDirectory
from german_whist.training.sb3_config import SB3Config

EXPLODED = 1e6  # a weight this large means divergence


class SB3(Trainer[SB3Config]):
    """A model of Stable-Baselines3 and its environments."""

    config_class = SB3Config

    def __init__(self, config: SB3Config, run: RunDirectory, processes: Processes) -> None:
        """Create environments and model.

        Raises:
            ValueError: if the device does not exist.
        """
        super().__init__(config, run, processes)
        self._envs = GermanWhistVecEnv(config.num_envs, rules=config.rules, reward=config.reward, canonical=True)
        self._settings: dict[str, Any] = {
            "n_steps": config.num_steps,
            "batch_size": min(config.batch_size, config.num_envs * config.num_steps),
            "n_epochs": config.epochs,
            "device": config.device,
        }
        policy = {"net_arch": config.hidden, "activation_fn": torch.nn.ReLU}
        model = MaskablePPO(
            "MlpPolicy", self._envs, gamma=1.0, seed=config.seed, policy_kwargs=policy, **self._settings
        )
        self._use(model)

    def _use(self, model: MaskablePPO) -> None:
        """Go on with a model, in deals that it has not seen."""
        model.set_logger(Logger(None, []))  # no outputs: the run's records have the numbers
        self._envs.set_options({"deal": (self.config.seed, TRAINING_DEALS + model.num_timesteps)})
        self._model, self.decisions = model, model.num_timesteps

    def restore(self) -> None:
        """Load the model.

        Raises:
            ValueError: if it cannot be loaded.
        """
        try:
            model = MaskablePPO.load(self.run.model, self._envs, self.config.device, self._settings)
        except Exception as error:  # any type occurs, AssertionError for half a file
            raise ValueError(f"{self.run.model} cannot be loaded ({type(error).__name__}: {error})") from error
        self._use(model)

    def update(self) -> tuple[int, dict[str, float]]:
        """Play and learn from one rollout.

        Raises:
            FloatingPointError: if a weight is not finite or has exploded.
        """
        model, before = self._model, self.decisions
        left = 1.0 - before / self.config.decisions
        model.lr_schedule = ConstantSchedule(self.config.learning_rate_at(left))
        model.ent_coef = self.config.ent_coef_at(left)
        self._envs.opponent = self.opponents()
        try:
            model.learn(1, log_interval=None, reset_num_timesteps=False)  # type: ignore[arg-type]
        finally:  # torch's distributions raise another error for NaN
            self.decisions = model.num_timesteps
            if not all(bool((weight.abs() < EXPLODED).all()) for weight in model.policy.parameters()):
                raise FloatingPointError(f"a weight is not below {EXPLODED:g}") from None
        return self.decisions - before, model.logger.name_to_value

    def checkpoint(self) -> Checkpoint:
        """Return a checkpoint of the current policy."""
        policy: Any = self._model.policy
        modules = (*policy.mlp_extractor.policy_net, policy.action_net)
        layers = [
            (module.weight.detach().cpu().numpy().copy(), module.bias.detach().cpu().numpy().copy())
            for module in modules
            if isinstance(module, torch.nn.Linear)
        ]
        return Checkpoint(tuple(layers), rules(self.config.rules), self.model_card("MaskablePPO (sb3-contrib)"))

    def save_snapshot(self) -> None:
        """Write the model to resume from."""
        content = io.BytesIO()
        self._model.save(content)
        write_atomically(self.run.model, content.getvalue())

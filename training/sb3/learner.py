"""The learner of a run: model, environment, past selves, checkpoints and evaluations."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from typing import Any

import torch
from sb3_contrib import MaskablePPO

from german_whist.agents.bots.base import Agent
from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.checkpoint import Checkpoint, load_checkpoint
from german_whist.agents.registry import make_agent
from german_whist.arena.match_result import MatchResult
from german_whist.envs.engine.rules import rules
from german_whist.training.config.schema import LARGEST_SEED, TrainConfig
from german_whist.training.rollouts.opponent_mix import POOL, SELF
from german_whist.training.run.device import check_device
from german_whist.training.run.directory import RunDirectory, code_version
from german_whist.training.run.evaluation import evaluate
from german_whist.training.sb3.policy import policy_checkpoint, policy_settings
from german_whist.training.sb3.resume import load_learner, save_learner
from german_whist.training.sb3.vec_env import SelfPlayRolloutBuffer, SelfPlayVecEnv


class Learner:
    """MaskablePPO of sb3-contrib on self-play rows.

    Attributes:
        config: the settings.
        run: the folder that checkpoints go to.
        model: the Stable-Baselines3 model; its ``num_timesteps`` counts decisions trained on.
    """

    def __init__(self, config: TrainConfig, run: RunDirectory, *, resume: bool = False) -> None:
        """Build the learner, from scratch or from where the run stopped.

        Raises:
            ValueError: when the run cannot be resumed, or the device does not exist.
        """
        self.config = config
        self.run = run
        self.rules = rules(config.rules)
        self._pool: list[PolicyAgent] = []
        self._random = random.Random(config.seed)
        self._judges = [(name, make_agent(name)) for name in config.evaluate_against]
        self.env = SelfPlayVecEnv(
            self.rules,
            config.num_envs,
            reward=config.reward,
            per_trick=config.per_trick,
            seed=config.seed,
            opponents=[(share, self._opponent(name)) for name, share in config.opponents.items()],
        )
        self.model = self._make_model()
        if resume:
            load_learner(self.model, run.resume)
            run.forget_after(self.decisions)
            self._pool = [PolicyAgent(load_checkpoint(path), 1.0) for path in run.past()[-config.pool_size :]]
            if not self._pool:
                self._pool = [PolicyAgent(self.checkpoint(), 1.0)]
            # No more deals than decisions have been dealt, so these deals and these random numbers are new.
            self.env.deal_from(self.decisions)
            self.model.set_random_seed((config.seed + self.decisions) % (LARGEST_SEED + 1))

    def _opponent(self, name: str) -> Callable[[], Agent] | str:
        if name == SELF:
            return SELF
        if name == POOL:
            return lambda: self._random.choice(self._pool)
        agent = make_agent(name)
        return lambda: agent

    def _make_model(self) -> MaskablePPO:
        config = self.config
        check_device(config.device)
        try:
            return self._model_of(config)
        except RuntimeError as error:  # as torch says that memory is short
            raise ValueError(f"the network cannot be made: {str(error).splitlines()[0]}") from None

    def _model_of(self, config: TrainConfig) -> MaskablePPO:
        return MaskablePPO(
            "MlpPolicy",
            self.env,
            # The last rollout may end after the last decision, where less than nothing is left.
            learning_rate=lambda left: (
                config.learning_rate_end + (config.learning_rate - config.learning_rate_end) * max(left, 0.0)
            ),
            n_steps=config.num_steps,
            batch_size=min(config.batch_size, config.num_envs * config.num_steps),
            n_epochs=config.epochs,
            gamma=config.gamma,
            gae_lambda=config.gae_lambda,
            clip_range=config.clip,
            ent_coef=config.ent_coef,
            vf_coef=config.vf_coef,
            max_grad_norm=config.max_grad_norm,
            rollout_buffer_class=SelfPlayRolloutBuffer,
            rollout_buffer_kwargs={"source": self.env},
            policy_kwargs=policy_settings(config.hidden, self.rules),
            seed=config.seed,
            device=config.device,
        )

    @property
    def decisions(self) -> int:
        """Decisions trained on."""
        return int(self.model.num_timesteps)

    def follow_entropy_schedule(self) -> None:
        """Set the weight of the entropy bonus for the decisions trained on."""
        config = self.config
        left = max(1.0 - self.decisions / config.decisions, 0.0)
        self.model.ent_coef = config.ent_coef_end + (config.ent_coef - config.ent_coef_end) * left

    def check_finite(self) -> None:
        """Stop a run that has diverged.

        Raises:
            FloatingPointError: when a weight is no longer a finite number, or so large that the logits are none.
        """
        policy, seen = self.model.policy, self.model._last_obs
        numbers = dict(policy.named_parameters())
        if seen is not None:
            with torch.no_grad():
                choice = policy.get_distribution(policy.obs_to_tensor(seen)[0]).distribution
            numbers["logits"] = choice.logits  # type: ignore[union-attr]
        for name, values in numbers.items():
            if not torch.isfinite(values).all():
                raise FloatingPointError(
                    f"training diverged before decision {self.decisions}: {name} is not finite; the checkpoints before "
                    f"it are in {self.run.checkpoints}"
                )

    def checkpoint(self, results: dict[str, Any] | None = None) -> Checkpoint:
        """Return the policy as it is now."""
        training = {
            "algorithm": "self-play MaskablePPO (sb3-contrib)",
            "decisions": self.decisions,
            "config": dataclasses.asdict(self.config),
            "code": code_version(),
        }
        return dataclasses.replace(policy_checkpoint(self.model.policy, self.rules, training), results=results or {})

    def save(self) -> None:
        """Write a checkpoint, which joins the pool, and what a later run goes on from."""
        made = self.checkpoint()
        made.save(self.run.checkpoint_path(self.decisions))
        self._pool.append(PolicyAgent(made, 1.0))
        del self._pool[: -self.config.pool_size]
        save_learner(self.model, self.run.resume)

    def evaluate(self, deals: int) -> tuple[MatchResult, ...]:
        """Play the policy's best cards against each opponent, on the same mirrored deals every time."""
        return evaluate(self.checkpoint(), self._judges, deals, self.rules)

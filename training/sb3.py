"""Stable-Baselines3: a ``VecEnv`` over the native batch, and ``trainer: sb3``, MaskablePPO of sb3-contrib on it.

The learner has one seat of each deal; who holds the other changes from rollout to rollout: the learner as it is now, an
earlier checkpoint, or an agent by name. Saving and loading are Stable-Baselines3's own, so a resumed run is a valid
run, not the same one bit for bit.
"""

from __future__ import annotations

import contextlib
import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter, Logger
from stable_baselines3.common.torch_layers import FlattenExtractor
from stable_baselines3.common.vec_env.base_vec_env import VecEnv

from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.canonical import canonical_views, decode_actions
from german_whist.agents.policy.checkpoint import Checkpoint, load_checkpoint
from german_whist.agents.registry import make_agent
from german_whist.envs.agent import Agent, SupportsAct, as_agent
from german_whist.envs.engine.endgame_hook import PLAYED
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.observation.vector import observation_high, observation_layout, observe
from german_whist.envs.observation.vector_kernels import write_masks
from german_whist.envs.simulator.episodes import Episodes
from german_whist.envs.turns import check_seat, learner_seats, play_turn
from german_whist.training.config import POOL, SELF, SB3Config
from german_whist.training.networks import check_device, feature_scale
from german_whist.training.rollout_kernels import margins
from german_whist.training.rollouts import TRAINING_DEALS
from german_whist.training.run.directory import RunDirectory
from german_whist.training.run.processes import Processes
from german_whist.training.run.progress import FINAL_EVALUATION, FIRST_EVALUATION, FIRST_ROLLOUT, TrainingProgress
from german_whist.training.run.provenance import code_version
from german_whist.training.run.records import (
    Callback,
    Periodic,
    RunMetrics,
    TrainingClock,
    TrainingOutcome,
    evaluate,
    last_evaluation,
    record_evaluation,
    win_rates,
)
from german_whist.training.run.stopping import Stopped, StopRequest, stop_signals

METRICS = (
    *("time/time_elapsed", "time/fps", "train/n_updates", "train/learning_rate", "train/entropy_loss"),
    *("train/policy_gradient_loss", "train/value_loss", "train/loss", "train/explained_variance", "train/approx_kl"),
    "train/clip_fraction",
)
_NO_INFO: dict[str, Any] = {}


class GermanWhistVecEnv(VecEnv):
    """Many deals at once for Stable-Baselines3 and sb3-contrib, the learner to act in each.

    Observations, masks and actions are canonical: suits are relabelled so that positions that differ in the names of
    the suits alone look the same. A checkpoint of ours and ``canonical_views`` do the same. Rewards are divided by the
    largest possible one. The margin is paid trick by trick, other rewards at the end of the deal. Finished deals are
    dealt again in the same step.

    Example:
        >>> envs = GermanWhistVecEnv(gw.make_agent("heuristic"), num_envs=256)
        >>> MaskablePPO("MlpPolicy", envs).learn(1_000_000)

    Attributes:
        opponent: the agent that holds the other seats; may be set between two steps.
        learners: the learner's seat in each row, int64[num_envs].
    """

    def __init__(
        self,
        opponent: Agent | SupportsAct,
        num_envs: int = 256,
        rules: str | Rules = "classic",
        *,
        reward: str = "margin",
        seat: int | str = "alternate",
        seed: int = 0,
        first_deal: int = 0,
        history: bool = False,
    ) -> None:
        """Create the environments; ``reset`` deals.

        Args:
            opponent: anything with ``act(views, rng)``; ``make_agent`` gives agents by name.
            num_envs: deals stepped together.
            rules: a preset's name, with settings if wanted, or ``Rules``.
            reward: ``"margin"``, ``"win"`` or ``"points"``.
            seat: the learner's seat, 0, 1 or ``"alternate"``.
            seed: seed of the deals.
            first_deal: index of the first deal.
            history: keep event histories, for opponents to come that use them.

        Raises:
            ValueError: if an argument is not allowed.
        """
        self.opponent = as_agent(opponent, rules_named(rules))
        check_seat(seat)
        keeps = history or self.opponent.uses_games
        self._episodes = Episodes(rules, num_envs, history=keeps, endgame=PLAYED)
        self._reward, self._seat, self._first = reward, seat, (seed, first_deal)
        self._limit = np.float32(self._episodes.reward_limit(reward))
        self.learners = np.zeros(num_envs, np.int64)
        self.render_mode = None
        self.rules = self._episodes.rules
        box = spaces.Box(0, observation_high(self.rules), dtype=np.int8)
        super().__init__(num_envs, box, spaces.Discrete(self.rules.num_actions))

    def reset(self) -> npt.NDArray[np.int8]:
        """Start new deals everywhere and return the observations, int8[num_envs, num_observations]."""
        seed, first = self._first if self._seeds[0] is None else (self._seeds[0], 0)
        self._episodes.reset(options={"deal": (seed, first)})
        self._reset_seeds()
        self._seat_learners(self._episodes.every_row)
        self._play_opponent()
        return self._observe()

    def step_async(self, actions: npt.NDArray[np.int64]) -> None:
        """Take the actions of the next step, int64[num_envs]."""
        self._actions = np.asarray(actions, np.int64)

    def step_wait(self) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float32], npt.NDArray[np.bool_], list[Any]]:
        """Play the actions, then the opponent's until the learner is to act again; finished deals are replaced."""
        episodes, before = self._episodes, self._margins()
        episodes.step(episodes.every_row, decode_actions(self._actions, self._relabeling))
        self._play_opponent()
        ended = episodes.over.copy()
        finished = np.flatnonzero(ended)
        rewards = self._margins() - before if self._reward == "margin" else np.zeros(self.num_envs, np.float32)
        infos: list[Any] = [_NO_INFO] * self.num_envs
        if len(finished):
            if self._reward != "margin":
                returns = episodes.returns(self._reward, finished)
                rewards[finished] = returns[np.arange(len(finished)), self.learners[finished]]
            last = observe(canonical_views(episodes.batch.views(finished, self.learners[finished]))[0], self.rules)
            for row, observation in zip(finished, last, strict=True):
                infos[row] = {"terminal_observation": observation}
            episodes.start_next(finished)
            self._seat_learners(finished)
            self._play_opponent()
        return self._observe(), rewards / self._limit, ended, infos

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the legal actions, bool[num_envs, num_actions]."""
        masks = np.empty((self.num_envs, self.rules.num_actions), np.int8)
        write_masks(np.ascontiguousarray(self._views["legal"]), masks)
        return masks.astype(np.bool_)

    def _seat_learners(self, rows: npt.NDArray[np.int64]) -> None:
        self.learners[rows] = learner_seats(self._seat, self._episodes.numbers[rows])

    def _play_opponent(self) -> None:
        episodes = self._episodes
        while (waiting := np.flatnonzero((episodes.batch.turn != self.learners) & ~episodes.over)).size:
            play_turn(self.opponent, episodes, waiting)

    def _margins(self) -> npt.NDArray[np.float32]:
        """Return the learners' margins of counted tricks so far."""
        found = np.empty(self.num_envs, np.float32)
        margins(self.rules.game, self._episodes.batch.states, found)
        found[self.learners == 1] *= -1
        return found

    def _observe(self) -> npt.NDArray[np.int8]:
        self._views, self._relabeling = canonical_views(self._episodes.batch.views())
        return observe(self._views, self.rules)

    def close(self) -> None:
        """Nothing to release."""

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute, once for each row asked for."""
        return [getattr(self, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of all rows."""
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """Call a method of all rows and return its result for each row asked for."""
        results = getattr(self, method_name)(*args, **kwargs)
        return [results[row] for row in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        """No row is wrapped."""
        return [False] * len(list(self._get_indices(indices)))


class ScaledObservations(FlattenExtractor):
    """Observations scaled to at most 1: what :func:`policy_checkpoint` folds into the first layer."""

    scale: torch.Tensor

    def __init__(self, observation_space: spaces.Box, scale: torch.Tensor) -> None:
        """Take the factors, float32[features]."""
        super().__init__(observation_space)
        self.register_buffer("scale", scale)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Return the scaled observations, float32[rows, features]."""
        return observations * self.scale


def policy_checkpoint(policy: MaskableActorCriticPolicy, rules: Rules, training: dict[str, Any]) -> Checkpoint:
    """Return the actor of a policy with :class:`ScaledObservations` as a checkpoint."""
    modules = [*policy.mlp_extractor.policy_net, policy.action_net]
    layers = [
        (module.weight.detach().cpu().numpy().copy(), module.bias.detach().cpu().numpy().copy())
        for module in modules
        if isinstance(module, torch.nn.Linear)
    ]
    scale = policy.features_extractor.scale.cpu().numpy()  # type: ignore[operator]
    layers[0] = layers[0][0] * scale, layers[0][1]
    return Checkpoint(tuple(layers), rules, training)


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
    # Checking our own masks would cost a tenth of the time.
    torch.distributions.Distribution.set_default_validate_args(False)
    training = _Training(config, run, resume)
    model, stop = training.sb3_model, training.stop
    with TrainingProgress(config.decisions, model.num_timesteps, quiet) as progress:
        metrics = RunMetrics(run, METRICS, model.num_timesteps, callback)
        with stop_signals(stop, progress.say), contextlib.closing(metrics):
            progress.say(f"training in {run.path}")
            model.set_logger(Logger(str(run.path), [_Rows(metrics)]))
            training.progress, training.metrics = progress, metrics
            left = config.decisions - model.num_timesteps
            if left > 0:
                progress.expect(model.num_timesteps, config.num_envs * config.num_steps)
                # A row of metrics is written after the update, so that a killed run has the rows of a whole one.
                model.learn(left, training, None, reset_num_timesteps=False)  # type: ignore[arg-type]
                training.finish_update()
                if stop.is_made:
                    training.save_model()
                    return TrainingOutcome(run, model.num_timesteps, ())
                training.check_finite()
                training.save()
            try:
                results = training.evaluate(config.final_deals, FINAL_EVALUATION)
            except Stopped:  # all is saved
                return TrainingOutcome(run, model.num_timesteps, ())
    final = dataclasses.replace(training.checkpoint(), results={one.second: one.to_dict() for one in results})
    final.save(run.final)
    return TrainingOutcome(run, model.num_timesteps, results)


class _Rows(KVWriter):
    """Writes Stable-Baselines3's numbers into the records of a run."""

    def __init__(self, metrics: RunMetrics) -> None:
        self._metrics = metrics

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        self._metrics.write(step, {name: float(key_values.get(name, np.nan)) for name in METRICS})

    def close(self) -> None:
        """The run closes its records."""


class _Training(BaseCallback):
    """A run: saves and evaluates between rollouts, chooses opponents, and stops when asked to."""

    progress: TrainingProgress
    metrics: RunMetrics

    def __init__(self, config: SB3Config, run: RunDirectory, resume: bool) -> None:
        super().__init__()
        check_device(config.device)
        self.config, self.run, self.stop, self.clock = config, run, StopRequest(), TrainingClock()
        self.rules = rules_named(config.rules)
        self._baselines = [(name, make_agent(name, self.rules)) for name in config.evaluate_against]
        named = [name for name in config.opponents if name not in (SELF, POOL)]
        self._named = {name: make_agent(name, self.rules) for name in named}
        history = any(agent.uses_games for agent in self._named.values())
        started = int(run.checkpoint_paths()[-1].stem) if resume else 0
        self._env = GermanWhistVecEnv(
            make_agent("random"),
            config.num_envs,
            self.rules,
            reward=config.reward,
            seed=config.seed,
            first_deal=TRAINING_DEALS + started,
            history=history,
        )
        self.sb3_model = self._load() if resume else self._new()
        if resume:
            run.drop_records_after(self.sb3_model.num_timesteps)
            if run.overrides:
                run.write_config(config)
        else:
            run.begin(config)
            self.save()
        # A new run starts with an evaluation of the untrained network; one killed during an evaluation repeats it.
        last = last_evaluation(run)
        self._save_is_due = Periodic(config.checkpoint_every, self.sb3_model.num_timesteps)
        self._evaluation_is_due = Periodic(config.evaluate_every, int(last["decisions"]) if last else -1)
        self._rng = np.random.default_rng((config.seed, self.sb3_model.num_timesteps))
        self._began = self.sb3_model.num_timesteps
        self._has_trained = False

    def _settings(self) -> dict[str, Any]:
        config = self.config
        return {
            "learning_rate": config.learning_rate_at,
            "n_steps": config.num_steps,
            "batch_size": min(config.batch_size, config.num_envs * config.num_steps),
            "n_epochs": config.epochs,
            "ent_coef": config.ent_coef,
            "device": config.device,
        }

    def _new(self) -> MaskablePPO:
        low = observation_layout(self.rules).get("low")
        scale = feature_scale(observation_high(self.rules), low)
        policy = {
            "features_extractor_class": ScaledObservations,
            "features_extractor_kwargs": {"scale": scale},
            "net_arch": self.config.hidden,
            "activation_fn": torch.nn.ReLU,
            "optimizer_kwargs": {"eps": 1e-5},
        }
        try:
            # gamma: a margin counts the same whenever it is won
            return MaskablePPO(
                "MlpPolicy", self._env, gamma=1.0, policy_kwargs=policy, seed=self.config.seed, **self._settings()
            )
        except RuntimeError as error:  # torch's error when memory is short
            raise ValueError(f"the network cannot be made: {str(error).splitlines()[0]}") from None

    def _load(self) -> MaskablePPO:
        try:
            model = MaskablePPO.load(self.run.model, self._env, custom_objects=self._settings())
        except Exception as error:  # a damaged archive can raise anything
            raise ValueError(f"{str(self.run.model)!r} cannot be resumed: {str(error).splitlines()[0]}") from None
        sizes = policy_checkpoint(model.policy, self.rules, {}).sizes[1:-1]
        if sizes != self.config.hidden:
            raise ValueError(f"{str(self.run.model)!r} cannot be resumed: its hidden layers are {sizes}")
        return model

    def checkpoint(self) -> Checkpoint:
        """Return a checkpoint of the current policy."""
        training = {
            "algorithm": "self-play MaskablePPO (sb3-contrib)",
            "decisions": self.sb3_model.num_timesteps,
            "config": self.config.to_dict(),
            "code": code_version(),
        }
        return policy_checkpoint(self.sb3_model.policy, self.rules, training)

    def save(self) -> None:
        """Write a checkpoint, which joins the pool, and Stable-Baselines3's file to resume from."""
        self.checkpoint().save(self.run.checkpoint_path(self.sb3_model.num_timesteps))
        self.save_model()

    def save_model(self) -> None:
        """Write Stable-Baselines3's file to resume from."""
        self.sb3_model.save(self.run.model)

    def evaluate(self, deals: int, kind: str) -> tuple[Any, ...]:
        """Play the policy against each baseline, and record the results.

        Raises:
            Stopped: when the run is to stop.
        """
        self.progress.begin_evaluation(kind, deals, self.config.evaluate_against)
        results = evaluate(self.checkpoint(), self._baselines, deals, self.rules, stop=self.stop)
        decisions = self.sb3_model.num_timesteps
        record_evaluation(self.run, self.config.title, decisions, self.clock.seconds, results, self.progress)
        self.metrics.chart(decisions, win_rates(results))
        return results

    def check_finite(self) -> None:
        """Refuse to go on with a weight that is not finite.

        Raises:
            FloatingPointError: naming it.
        """
        for name, weight in self.sb3_model.policy.named_parameters():
            if not torch.isfinite(weight).all():
                raise FloatingPointError(
                    f"training diverged before decision {self.sb3_model.num_timesteps}: {name} is not finite; the "
                    f"checkpoints before it are in {self.run.checkpoints}"
                )

    def _opponent(self) -> Agent:
        """Return who holds the other seats in the next rollout, drawn by the shares."""
        names, shares = zip(*self.config.opponents.items(), strict=True)
        name = names[self._rng.choice(len(names), p=np.array(shares) / sum(shares))]
        if name == SELF:
            return PolicyAgent(self.checkpoint(), 1.0)
        if name == POOL:
            past = self.run.checkpoint_paths()[-self.config.pool_size :]
            return PolicyAgent(load_checkpoint(past[self._rng.integers(len(past))]), 1.0)
        return self._named[name]

    def finish_update(self) -> None:
        """Count and log the last update, if there is one that has not been."""
        if self.sb3_model.num_timesteps > self._began:
            self.clock.count()
            self.sb3_model.dump_logs()
        self._began = self.sb3_model.num_timesteps

    def _on_rollout_start(self) -> None:
        model, config = self.sb3_model, self.config
        self.finish_update()
        self.check_finite()
        if self._save_is_due(model.num_timesteps):
            self.save()
        if self._evaluation_is_due(model.num_timesteps):
            with contextlib.suppress(Stopped):  # the first step of the rollout ends it
                self.evaluate(config.evaluate_deals, "" if model.num_timesteps else FIRST_EVALUATION)
        if not self._has_trained:
            self.progress.begin_phase(FIRST_ROLLOUT)
            self._has_trained = True
        self._env.opponent = self._opponent()
        model.ent_coef = config.ent_coef_at(1.0 - model.num_timesteps / config.decisions)
        self.clock.skip()

    def _on_step(self) -> bool:
        self.progress.update(self.num_timesteps)
        if self.stop.is_made:
            self.sb3_model.num_timesteps = self._began  # the rollout is dropped
            return False
        return True

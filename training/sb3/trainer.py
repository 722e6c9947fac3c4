"""Runs of ``trainer: sb3``: MaskablePPO of sb3-contrib on self-play environments, with exact resume."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter, Logger
from stable_baselines3.common.utils import set_random_seed

from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.checkpoint import Checkpoint, load_checkpoint
from german_whist.agents.registry import make_agent
from german_whist.envs.agent import Agent
from german_whist.envs.engine.rules import rules
from german_whist.evaluation.match import MatchResult
from german_whist.training.config import POOL, SELF, SB3Config
from german_whist.training.networks import check_device
from german_whist.training.run.directory import RunDirectory, append_row, start_rows
from german_whist.training.run.event_file import EventFile
from german_whist.training.run.processes import Processes
from german_whist.training.run.progress import FINAL_EVALUATION, FIRST_EVALUATION, FIRST_ROLLOUT, TrainingProgress
from german_whist.training.run.provenance import Provenance, code_version
from german_whist.training.run.records import (
    Callback,
    Periodic,
    TrainingClock,
    TrainingOutcome,
    evaluate,
    last_evaluation,
    record_evaluation,
    win_rates,
)
from german_whist.training.run.snapshot import UNREADABLE, Snapshot, cannot_resume, tensor_of_shape
from german_whist.training.run.stopping import Stopped, StopRequest, stop_signals
from german_whist.training.sb3.policy import policy_checkpoint, policy_settings
from german_whist.training.sb3.vec_env import SelfPlayRolloutBuffer, SelfPlayVecEnv

COLUMNS = (
    "decisions",
    "time/time_elapsed",
    "time/fps",
    "train/n_updates",
    "train/learning_rate",
    "train/entropy_loss",
    "train/policy_gradient_loss",
    "train/value_loss",
    "train/loss",
    "train/explained_variance",
    "train/approx_kl",
    "train/clip_fraction",
)


class MetricsWriter(KVWriter):
    """Appends rows to ``metrics.csv`` and TensorBoard's file; a resumed run continues the same CSV file."""

    def __init__(self, run: RunDirectory, decisions: int = 0, callback: Callback | None = None) -> None:
        """Open the files of a run that begins, or resumes at so many decisions. The callback gets each row, too."""
        self._path = run.metrics
        self._callback = callback
        start_rows(self._path, COLUMNS)
        self._board = EventFile(run.tensorboard, decisions)

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        """Write one row; metrics without a value stay empty."""
        numbers = {"decisions": key_values.get("time/total_timesteps", step), **key_values}
        row = {column: numbers[column] for column in COLUMNS if column in numbers}
        append_row(self._path, [row.get(column, "") for column in COLUMNS])
        hidden = {name for name, formats in key_excluded.items() if formats and "tensorboard" in formats}
        self._board.add(step, {name: float(key_values[name]) for name in key_values if name not in hidden})
        if self._callback is not None:
            self._callback(step, {name: float(number) for name, number in row.items() if name != "decisions"})

    def close(self) -> None:
        """Close TensorBoard's file."""
        self._board.close()


def learner_state(model: MaskablePPO) -> dict[str, torch.Tensor]:
    """Return weights, moments and the number of updates of a model."""
    tensors = {f"policy.{name}": weight.detach() for name, weight in model.policy.named_parameters()}
    for number, state in model.policy.optimizer.state_dict()["state"].items():
        for name, value in state.items():
            tensors[f"optimizer.{number}.{name}"] = torch.as_tensor(value)
    return tensors | {"updates": torch.tensor(model._n_updates)}


def load_learner_state(model: MaskablePPO, tensors: Mapping[str, torch.Tensor]) -> None:
    """Restore what :func:`learner_state` returned.

    Raises:
        KeyError: when a tensor is missing.
        ValueError: when one has the shape of another network, or the number of updates is none.
    """
    updates = tensor_of_shape(tensors, "updates", torch.Size(()))
    if updates.dtype != torch.int64 or updates < 0:
        raise ValueError(f"its updates {updates.item()} are not a number of updates")
    with torch.no_grad():
        for name, weight in model.policy.named_parameters():
            weight.copy_(tensor_of_shape(tensors, f"policy.{name}", weight.shape))
    optimizer = model.policy.optimizer.state_dict()
    for number, weight in enumerate(model.policy.parameters()):
        shapes = {"step": torch.Size(()), "exp_avg": weight.shape, "exp_avg_sq": weight.shape}
        # A learner saved before its first update has no moments.
        if any(f"optimizer.{number}.{key}" in tensors for key in shapes):
            optimizer["state"][number] = {
                key: tensor_of_shape(tensors, f"optimizer.{number}.{key}", shape) for key, shape in shapes.items()
            }
    model.policy.optimizer.load_state_dict(optimizer)
    model._n_updates = int(updates)


class SB3Learner:
    """MaskablePPO of sb3-contrib on self-play environments.

    Attributes:
        config: the configuration.
        run: the folder for checkpoints.
        model: the Stable-Baselines3 model; its ``num_timesteps`` counts decisions trained on.
        stop: whether to give up rollouts and evaluations.
    """

    def __init__(self, config: SB3Config, run: RunDirectory) -> None:
        """Build a new learner.

        Raises:
            ValueError: when the device does not exist, or the network is too large.
        """
        self.config = config
        self.run = run
        self.stop = StopRequest()
        self.provenance = Provenance(config.to_dict())
        self.rules = rules(config.rules)
        self._pool: list[PolicyAgent] = []
        self._baselines = [(name, make_agent(name, self.rules)) for name in config.evaluate_against]
        opponents = config.opponents
        self._bots = {name: make_agent(name, self.rules) for name in opponents if name not in (SELF, POOL)}
        self.env = SelfPlayVecEnv(
            self.rules,
            config.num_envs,
            reward=config.reward,
            seed=config.seed,
            opponents=[(share, self._opponent(name)) for name, share in opponents.items()],
            history=any(bot.uses_games for bot in self._bots.values()),
        )
        self.model = self._make_model()

    def resume(self) -> float:
        """Restore the run where it stopped, and return its seconds of training so far.

        Raises:
            ValueError: when it cannot be resumed; then no file has changed.
        """
        path, config = self.run.resume, self.config
        needed = config.pool_size if POOL in config.opponents else 0
        snapshot = Snapshot.load(path)
        saved = self.run.checkpoint_paths(snapshot.decisions)
        try:
            snapshot.provenance.check_checkpoints(saved, needed)
            is_changed = snapshot.provenance.take_changes(self.config, self.run.overrides, snapshot.decisions)
            if len(snapshot.deals) != 1:
                raise ValueError(f"it is of {len(snapshot.deals)} processes, and sb3 runs in one")
            load_learner_state(self.model, snapshot.learner)
            self.env.load_state({name: tensor.numpy() for name, tensor in snapshot.deals[0].items()})
        except UNREADABLE as error:
            raise cannot_resume(path, error) from None
        self.model.num_timesteps = snapshot.decisions
        self.provenance = snapshot.provenance
        self._pool = [PolicyAgent(load_checkpoint(past), 1.0) for past in saved[-config.pool_size :]]
        if not self._pool and needed:
            raise ValueError(f"{str(self.run.checkpoints)!r} is empty: the pool's past selves are missing")
        self._continue_with(self.env.observe())
        self.run.drop_records_after(self.decisions)
        if is_changed:
            self.save_snapshot(snapshot.seconds)
        if self.run.overrides:  # also where a change was recorded, and the run killed before it wrote the settings
            self.run.write_config(self.config)
        return snapshot.seconds

    def _opponent(self, name: str) -> Callable[[], Agent] | None:
        if name == SELF:
            return None
        if name == POOL:
            return self._past_self
        return lambda: self._bots[name]

    def _past_self(self) -> Agent:
        """Return the member of the pool that plays the next rollout, a function of seed and decisions."""
        return self._pool[np.random.default_rng([self.config.seed, self.decisions]).integers(len(self._pool))]

    def _make_model(self) -> MaskablePPO:
        check_device(self.config.device)
        try:
            return self._model_of(self.config)
        except RuntimeError as error:  # torch's error when memory is short
            raise ValueError(f"the network cannot be made: {str(error).splitlines()[0]}") from None

    def _model_of(self, config: SB3Config) -> MaskablePPO:
        return MaskablePPO(
            "MlpPolicy",
            self.env,
            learning_rate=config.learning_rate_at,
            n_steps=config.num_steps,
            batch_size=min(config.batch_size, config.num_envs * config.num_steps),
            n_epochs=config.epochs,
            gamma=1.0,  # a margin counts the same whenever it is won
            ent_coef=config.ent_coef,
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

    def begin(self) -> None:
        """Deal the first deals, and write the first checkpoint and snapshot."""
        self._add_checkpoint()  # the first member of the pool, which may play in the first deals
        self._continue_with(self.env.reset())
        self.save_snapshot(0.0)

    def _continue_with(self, observations: npt.NDArray[np.int8]) -> None:
        """Keep Stable-Baselines3 from dealing anew: it starts with what it saw last."""
        self.model._last_obs = observations
        self.model._last_episode_starts = np.ones(self.env.num_envs, np.bool_)

    def begin_rollout(self) -> None:
        """Fix opponents, random numbers and entropy bonus of the next rollout, by seed and decisions so far."""
        self._rollout_start = self.decisions, self.env.state()
        self.env.choose_opponents()
        seed = np.random.SeedSequence([self.config.seed, self.decisions]).generate_state(1)
        set_random_seed(int(seed[0]))
        self.model.ent_coef = self.config.ent_coef_at(1.0 - self.decisions / self.config.decisions)

    def drop_rollout(self) -> None:
        """Go back to the start of a rollout that was interrupted: only decisions that were trained on count."""
        self.model.num_timesteps, deals = self._rollout_start
        self.env.load_state(deals)

    def check_finite(self) -> None:
        """Stop a run that has diverged.

        Raises:
            FloatingPointError: when a weight or a logit is not finite.
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
        """Return a checkpoint of the current policy."""
        training = {
            "algorithm": "self-play MaskablePPO (sb3-contrib)",
            "decisions": self.decisions,
            "config": self.config.to_dict(),
            "code": code_version(),
        }
        if self.provenance.changes:
            training["changes"] = self.provenance.changes
        return dataclasses.replace(policy_checkpoint(self.model.policy, self.rules, training), results=results or {})

    def save(self, seconds: float) -> None:
        """Write a checkpoint, which joins the pool, and a snapshot."""
        self._add_checkpoint()
        self.save_snapshot(seconds)

    def _add_checkpoint(self) -> None:
        checkpoint = self.checkpoint()
        path = self.run.checkpoint_path(self.decisions)
        checkpoint.save(path)
        self.provenance.add_checkpoint(path)
        self._pool.append(PolicyAgent(checkpoint, 1.0))
        del self._pool[: -self.config.pool_size]

    def save_snapshot(self, seconds: float) -> None:
        """Write the snapshot to resume from, between two rollouts."""
        deals = {name: torch.from_numpy(array) for name, array in self.env.state().items()}
        state = learner_state(self.model)
        Snapshot(self.decisions, seconds, state, [deals], self.provenance).save(self.run.resume)

    def evaluate(self, deals: int) -> tuple[MatchResult, ...]:
        """Play the policy, at its best action, against each baseline, on the same mirrored deals every time.

        Raises:
            Stopped: when the run is to stop.
        """
        return evaluate(self.checkpoint(), self._baselines, deals, self.rules, stop=self.stop)


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
    learner, clock = _make(config, run, resume)
    logger = Logger(str(run.path), [MetricsWriter(run, learner.decisions, callback)])
    learner.model.set_logger(logger)
    try:
        with (
            TrainingProgress(config.decisions, learner.decisions, quiet) as progress,
            stop_signals(learner.stop, progress.say),
        ):
            progress.say(f"training in {run.path}")
            recorder = _Recorder(learner, clock, progress, callback)
            left = config.decisions - learner.decisions
            if left > 0:
                progress.expect(learner.decisions, config.num_envs * config.num_steps)
                # A row of metrics is written after the update, so that a killed run has the rows of a whole one.
                learner.model.learn(left, recorder, None, reset_num_timesteps=False)  # type: ignore[arg-type]
                recorder.finish_update()
                if learner.decisions < config.decisions:
                    # No checkpoint joins the pool here, so that the resumed run equals one that was never stopped.
                    learner.save_snapshot(clock.seconds)
                    return TrainingOutcome(run, learner.decisions, ())
                learner.check_finite()
                learner.save(clock.seconds)
            results = recorder.evaluate(config.final_deals, FINAL_EVALUATION)
        learner.checkpoint({result.second: result.to_dict() for result in results}).save(run.final)
        return TrainingOutcome(run, learner.decisions, results)
    except Stopped:  # after the last decision, when all is saved
        return TrainingOutcome(run, learner.decisions, ())
    finally:
        logger.close()


def _make(config: SB3Config, run: RunDirectory, resume: bool) -> tuple[SB3Learner, TrainingClock]:
    """Return the learner, resumed or new with its first checkpoint."""
    learner = SB3Learner(config, run)
    if resume:
        return learner, TrainingClock(learner.resume())
    run.begin(config)
    learner.begin()
    return learner, TrainingClock()


class _Recorder(BaseCallback):
    """Saves and evaluates between rollouts, and stops when asked to."""

    def __init__(
        self, learner: SB3Learner, clock: TrainingClock, progress: TrainingProgress, callback: Callback | None
    ) -> None:
        super().__init__()
        self._callback = callback
        self._learner = learner
        self._clock = clock
        self._progress = progress
        # A new run starts with an evaluation of the untrained network; one killed during an evaluation repeats it.
        last = last_evaluation(learner.run)
        self._save_is_due = Periodic(learner.config.checkpoint_every, learner.decisions)
        self._evaluation_is_due = Periodic(learner.config.evaluate_every, int(last["decisions"]) if last else -1)
        self._rollout_began = learner.decisions
        self._has_trained = False

    def finish_update(self) -> None:
        """Count and log the last update, if there is one that has not been."""
        if self._learner.decisions > self._rollout_began:
            self._clock.count()
            self._learner.model.dump_logs()
        self._rollout_began = self._learner.decisions

    def _on_rollout_start(self) -> None:
        learner, config = self._learner, self._learner.config
        self.finish_update()
        learner.check_finite()
        if self._save_is_due(learner.decisions):
            learner.save(self._clock.seconds)
        if self._evaluation_is_due(learner.decisions):
            with contextlib.suppress(Stopped):  # the rollout will be dropped
                self.evaluate(config.evaluate_deals, "" if learner.decisions else FIRST_EVALUATION)
        if not self._has_trained:
            self._progress.begin_phase(FIRST_ROLLOUT)
            self._has_trained = True
        learner.begin_rollout()
        self._clock.skip()

    def _on_step(self) -> bool:
        self._progress.update(self.num_timesteps)
        if self._learner.stop.is_made:
            self._learner.drop_rollout()
            return False
        return True

    def evaluate(self, deals: int, kind: str) -> tuple[MatchResult, ...]:
        """Evaluate over mirrored deals, and record the results.

        Raises:
            Stopped: when the run is to stop.
        """
        learner = self._learner
        self._progress.begin_evaluation(kind, deals, learner.config.evaluate_against)
        results = learner.evaluate(deals)
        rates = win_rates(results)
        for name, rate in rates.items():
            learner.model.logger.record(name, rate)
        record_evaluation(
            learner.run, learner.config.title, learner.decisions, self._clock.seconds, results, self._progress
        )
        if self._callback is not None:
            self._callback(learner.decisions, rates)
        return results

"""Training runs: approximate policy iteration by regression on the value of every action, in self-play.

One update, for positions o in which the learner has a choice among the legal actions A(o):

1. Collect (``rollouts``): ``num_envs`` × ``num_steps`` decisions of the behaviour policy softmax(β · logits), with
   β = ``INVERSE_TEMPERATURE`` and logits = ``LOGITS_PER_TRICK`` · f(o, a), where the actor f estimates action values in
   tricks up to a constant per position.
2. Compute targets (``targets``): every a in A(o) is tried in the true deal and followed to the seat's next
   L = ``lookahead`` decisions o₁ … o_L, in R = ``stock_rotations`` orders of the unseen cards. With the value network
   v, Q(o, a) = 1/(R L) Σ_r Σ_l v(o_l), a mean of n-step returns. Once an endgame begins, its exact margin, squashed by
   ``margin_tanh_scale``, takes the place of v.
3. Compute returns: G(o), Watkins's Q(lambda) of Q along the learner's play (``rollout_kernels.watkins_q_lambda``).
4. Learn (``networks``): the actor minimises the mean over A(o) of (f − Q)², both centred over A(o), and the value
   network (v − G)². The distilled network, a small one that picks moves during lookahead, learns the actor's outputs.

All actions of a position meet the same hidden cards, so luck cancels out of their differences. The actor does not see
those cards, so least squares makes it learn the mean over everything that they could be. The value at the next decision
is such a mean, too, and varies much less than the outcome of the deal.

Better play gives better targets: that is policy iteration. All targets belong to positions of the learner's own play,
so they correct its own errors (DAgger: Ross et al., arXiv 1011.0686; docs/explanation/learning.md names the closest
relatives).
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from german_whist.agents.base import Agent
from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.checkpoint import Checkpoint, load_checkpoint
from german_whist.agents.policy.input_kernels import RULE_FLAGS
from german_whist.agents.policy.inputs import input_layout
from german_whist.agents.policy.network.layers import LOGITS_PER_TRICK, UNIVERSAL, Layer
from german_whist.agents.pretrained import find_network
from german_whist.agents.registry import make_agent
from german_whist.game.endgame_setting import EXACT
from german_whist.game.rules import Rules, rules
from german_whist.game.utils.backend import TorchBackend
from german_whist.game.utils.libraries import explained
from german_whist.simulator.observation.views import UNPLAYED
from german_whist.training.config import POOL, SELF, PolicyIterationConfig, TrainConfig, load_config
from german_whist.training.networks import Batch, Networks, feature_scale, fit_value
from german_whist.training.processes import Processes, joined_processes, started_workers
from german_whist.training.rollouts import Collector, self_play_outcomes
from german_whist.training.run import (
    Callback,
    Periodic,
    RunDirectory,
    RunRecords,
    StopRequest,
    TrainingOutcome,
    code_version,
    diverged,
    finished_outcome,
    read_snapshot,
    stop_signals,
    write_snapshot,
)
from german_whist.training.targets import ActionValueTargets

INVERSE_TEMPERATURE = 4.0  # values learn from the behaviour policy's returns, so exploration must cost little
VALUE_DEALS = 4096  # to fit the final value network to; about 100,000 positions in the classic game
_DISTILL_PASSES = 10  # over the first rollout of a run with ``init``
EXPLODED = 1e3  # a loss this large means divergence: in output units, targets are a few at most, losses mostly below 1


def train(
    config: str | Path = "quickstart",
    *,
    out: str | Path | None = None,
    resume: str | Path | None = None,
    quiet: bool = False,
    callback: Callback | None = None,
    **settings: Any,
) -> TrainingOutcome:
    """Train an agent by self-play and evaluate it, as ``german-whist train`` does.

    Works in notebooks and threads. Ctrl-C saves the run, which can be resumed; the outcome is then ``interrupted``.
    Under ``torchrun``, all its processes train together.

    Example:
        >>> outcome = german_whist.train("quickstart", decisions=100_000, processes=1, out="runs/mine")
        >>> outcome.win_rates
        {'random+exact': 0.83, 'greedy+exact': 0.6, 'heuristic+exact': 0.46}
        >>> german_whist.play_match(outcome.agent, "heuristic", deals=1000)

    Args:
        config: a recipe of the package (``"quickstart"``, ``"half-hour"``, ``"sb3"``, …), or a YAML file.
        out: the run's folder; by default the first of ``runs/NAME``, ``runs/NAME-2``, … that does not exist.
        resume: the folder of a run to continue, instead of starting a new one; ``settings`` then change its settings.
            The outcome of a finished run is returned at once.
        quiet: show no progress.
        callback: called as ``callback(decisions, numbers)`` after each update, with the columns of ``metrics.csv``, and
            after each evaluation, with win rates as ``evaluation/win_rate_OPPONENT``. An exception that it raises ends
            the run, which can be resumed.
        settings: settings of the configuration by name: ``decisions=2000``, ``hidden=[64, 64]``, ``rules="small"``,
            ``opponents={"self": 0.5, "heuristic": 0.5}``. The page on training settings lists them.

    Returns:
        The outcome: ``agent`` to play with, ``win_rates`` and ``results`` of the final evaluation, and the ``path`` of
        the run's folder.

    Raises:
        ValueError: if a setting is unknown or not allowed, the folder already holds a run, the run cannot be
            resumed, or torch is set in this process to compute otherwise than training does.
        RuntimeError: if this process is training another run.
        FloatingPointError: if training diverges; the last good checkpoint is kept.
        ConnectionError: if another process of the run is gone; the last good checkpoint is kept.
    """
    if not isinstance(config, (str, os.PathLike)):
        raise ValueError(f"config must be a recipe or a file, and settings follow, as decisions=1000, got {config!r}")
    for name, folder in (("out", out), ("resume", resume)):
        if not isinstance(folder, (str, os.PathLike, type(None))):
            raise ValueError(f"{name} must be a folder, got {folder!r}")
    _check_torch()
    with ExitStack() as stack:
        stack.enter_context(_one_run())
        processes = stack.enter_context(joined_processes())
        begun: tuple[RunDirectory, TrainConfig, TrainingOutcome | None] = processes.broadcast(
            _begun(config, out, resume, settings, processes) if processes.is_first else None
        )
        run, found, finished = begun
        if processes.is_first:
            stack.enter_context(run.locked())
        if finished is not None:
            if processes.is_first and not quiet:
                print(f"finished, after {finished.decisions:,} decisions: {run.given}", file=sys.stderr)
            return finished
        if isinstance(found, PolicyIterationConfig) and processes.size == 1 < found.processes:
            processes = stack.enter_context(started_workers(found.processes, found.threads))
            processes.broadcast((run, found))
        return run_training(found, run, processes, quiet=quiet, callback=callback)


def _begun(
    config: str | Path,
    out: str | Path | None,
    resume: str | Path | None,
    settings: dict[str, Any],
    processes: Processes,
) -> tuple[RunDirectory, TrainConfig, TrainingOutcome | None]:
    """Return the folder and the settings of a new run, or those and the outcome of the one to resume."""
    if resume is not None:
        if config != "quickstart" or out is not None:
            raise ValueError("resume uses the run's own configuration and folder: leave out config and out")
        run, found = RunDirectory.open(resume, settings)
        return run, found, None if settings else finished_outcome(run, found.decisions)
    found = load_config(config, settings)
    trainer_of(found)  # a missing library is reported before a folder is created
    if processes.size > 1 and isinstance(found, PolicyIterationConfig):
        found = found.replace(processes=processes.size)
    return RunDirectory.create(Path(config).stem, out), found, None


def run_training(
    config: TrainConfig,
    run: RunDirectory,
    processes: Processes = Processes(),  # noqa: B008 - a constant
    *,
    quiet: bool = False,
    callback: Callback | None = None,
) -> TrainingOutcome:
    """Train in a folder, from its snapshot if it has one. All processes of a run call it."""
    (resume,) = processes.broadcast((run.has_snapshot,))
    if not resume:
        config = config.with_short_rollouts(processes.size)
        if processes.is_first:
            run.drop_records_after(0)
    if config.threads:
        torch.set_num_threads(config.threads)
    return trainer_of(config)(config, run, resume, quiet, processes, callback)


def _check_torch() -> None:
    """Refuse settings of this process, such as a notebook's, under which training would fail or learn other weights.

    Raises:
        ValueError: naming the setting.
    """
    for setting, now, needed in (
        ("torch.get_default_dtype()", torch.get_default_dtype(), torch.float32),
        ("torch.get_default_device()", torch.get_default_device(), torch.device("cpu")),
        ("torch.is_grad_enabled()", torch.is_grad_enabled(), True),
        ("torch.is_inference_mode_enabled()", torch.is_inference_mode_enabled(), False),
        *((f"torch.is_autocast_enabled({kind!r})", torch.is_autocast_enabled(kind), False) for kind in ("cpu", "cuda")),
    ):
        if now != needed:
            raise ValueError(f"{setting} is {now} in this process: training needs {needed}")


_TRAINING = threading.Lock()


@contextlib.contextmanager
def _one_run() -> Iterator[None]:
    """Train one run at a time in this process, and restore torch's number of threads.

    Raises:
        RuntimeError: if another run is training.
    """
    if not _TRAINING.acquire(blocking=False):
        raise RuntimeError("this process is training another run: train this one in another process")
    threads = torch.get_num_threads()
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        _TRAINING.release()


Trainer = Callable[[Any, RunDirectory, bool, bool, Processes, Callback | None], TrainingOutcome]


def trainer_of(config: TrainConfig) -> Trainer:
    """Return the function that trains a configuration, importing the libraries that it needs.

    Raises:
        ModuleNotFoundError: if one is not installed.
    """
    if isinstance(config, PolicyIterationConfig):
        return _train_policy_iteration
    try:
        from german_whist.training.sb3_trainer import train_sb3
    except ModuleNotFoundError as error:
        raise explained(error) from None
    return train_sb3


def _train_policy_iteration(
    config: PolicyIterationConfig,
    run: RunDirectory,
    resume: bool,
    quiet: bool,
    processes: Processes,
    callback: Callback | None,
) -> TrainingOutcome:
    state, stop = TrainingState(config, run, processes), StopRequest()
    if resume:
        state.restore()
    else:
        state.begin()
    with ExitStack() as stack:
        records = stack.enter_context(
            RunRecords(run, config, state.decisions, quiet=quiet, callback=callback, writes=processes.is_first)
        )
        stack.enter_context(stop_signals(stop, records.say))
        records.say(f"training in {run.given}")
        for line in state.notes:
            records.say(line)
        save_is_due = Periodic(config.checkpoint_every, state.decisions)
        if state.must_distill:
            records.say(f"distilling {config.init}")
            state.distill()
        while state.decisions < config.decisions:
            if save_is_due(state.decisions):
                state.save()
            records.evaluate_if_due(state.decisions, state.checkpoint)
            if any(processes.all_sum(stop.is_made)):
                # A checkpoint here would join the pool, and the resumed run would differ from one never stopped.
                state.save_snapshot()
                return TrainingOutcome(run, state.decisions, ())
            records.begin_update()
            batch, played = state.collect()
            metrics = state.networks.update(batch, state.decisions / config.decisions)
            state.decisions += played
            state.check_finite(metrics)
            records.write_update(state.decisions, played, metrics)
        state.save()
        if any(processes.all_sum(stop.is_made)):
            return TrainingOutcome(run, state.decisions, ())
        if processes.is_first:
            state.fit_value()
        outcome: TrainingOutcome = processes.broadcast(records.finish(state.decisions, state.checkpoint()))
        return outcome


class TrainingState:
    """Everything that the next update depends on: networks, deals in progress, the pool, decisions so far.

    Attributes:
        config: the configuration.
        run: the folder for checkpoints.
        processes: the processes that train together.
        decisions: learner decisions trained on so far, by all processes.
        collectors: one for each game; they play the deals.
        networks: the networks and their update.
        notes: lines to print when the run begins.
    """

    def __init__(self, config: PolicyIterationConfig, run: RunDirectory, processes: Processes) -> None:
        """Build the networks and deal the first deals.

        Raises:
            ValueError: if the device does not exist, or a share is less than one environment.
        """
        TorchBackend(config.device)
        self.config = config
        self.run = run
        self.processes = processes
        self.decisions = 0
        self._rules = rules(config.main_game)
        self._value: tuple[Layer, ...] = ()  # the value network of checkpoints, once fitted
        self._pool: list[Checkpoint] = []
        self.notes: list[str] = []
        self._make_collectors()
        layout, first = input_layout(self._rules, config.inputs), self.collectors[0]
        flags = [layout[name] for name in RULE_FLAGS] if config.inputs == UNIVERSAL else []
        scale = feature_scale(first.high, layout.get("low"), flags)
        self.networks = Networks(config, scale, first.num_actions, processes)

    def _make_collectors(self) -> None:
        """Create a collector for each game, with its share of the environments."""
        config, (rank, size) = self.config, (self.processes.rank, self.processes.size)
        own = config.num_envs * (rank + 1) // size - config.num_envs * rank // size
        ends = np.round(np.cumsum([0.0, *config.shares.values()]) * own).astype(int)
        self.collectors: list[Collector] = []
        for (game, share), envs in zip(config.shares.items(), np.diff(ends), strict=True):
            if not envs:
                raise ValueError(
                    f"games: a share of {share:.3g} for {game!r} is less than one environment of "
                    f"{own} (num_envs / processes)"
                )
            makers = {name: self._maker(name, rules(game)) for name in config.opponents if name != SELF}
            self.collectors.append(
                Collector(
                    game,
                    int(envs),
                    config.num_steps,
                    config.opponents,
                    makers,
                    seed=config.seed,
                    inputs=config.inputs,
                    # Pool members are plain networks, which use no histories.
                    history=any(make(0).uses_histories for name, make in makers.items() if name != POOL),
                    rank=rank,
                    device=config.device,
                )
            )
        self._targets = [ActionValueTargets(collector, config) for collector in self.collectors]

    def _maker(self, name: str, game: Rules) -> Callable[[int], Agent]:
        """Return a function from a rollout's number to the opponent called ``name`` in that rollout."""
        if name == POOL:
            return lambda rollout: PolicyAgent(self._past_self(rollout), 1.0, rules=game)
        agent = make_agent(name, game)
        return lambda _: agent

    def _past_self(self, rollout: int) -> Checkpoint:
        # Keyed by the rollout instead of drawn from a stream: a snapshot then needs no random state.
        seed = np.random.SeedSequence([self.config.seed, self.processes.rank, rollout])
        return self._pool[np.random.default_rng(seed).integers(len(self._pool))]

    def begin(self) -> None:
        """Load ``init``, if it is set, and write the settings and the first checkpoint.

        Raises:
            ValueError: if there is no such network, or it does not match the settings.
        """
        init = self.config.init
        if init and not self.networks.start_from(self._start(), init):
            self.notes.append(
                f"{init} has no value network with hidden layers {self.config.value_hidden}: "
                "targets are poor until the run has learnt one"
            )
        if self.processes.is_first:
            self.run.begin(self.config)
        self.save()  # the first member of the pool

    @property
    def must_distill(self) -> bool:
        """Whether :meth:`distill` comes first: the policy was loaded, and no checkpoint holds a distilled network."""
        return bool(self.config.init) and self.networks.rollout_policy.steps == 0

    def distill(self) -> None:
        """Train the distilled network on a rollout of the loaded policy.

        Until it has learnt that policy, targets would rest on random replies.
        """
        batch, _ = self.collect()
        self.networks.distill(batch, _DISTILL_PASSES, self.config.learning_rate)

    def _start(self) -> Checkpoint:
        """Return the checkpoint that ``init`` names."""
        name, config = self.config.init, self.config
        start = find_network(name)
        if start.ranks != UNPLAYED:
            raise ValueError(f"init: {name!r} sees ranks {start.ranks}, not {UNPLAYED}")
        if start.inputs != config.inputs:
            raise ValueError(f"init: {name!r} has {start.inputs} inputs: set inputs to {start.inputs}")
        if start.suit_layers != config.suit_layers:
            raise ValueError(
                f"init: {name!r} has {start.suit_layers} suit layers: set suit_layers to {start.suit_layers}"
            )
        return start

    def collect(self) -> tuple[Batch, int]:
        """Play a rollout of every game.

        Returns:
            This process's positions with their targets, and the number of the learner's decisions in all processes.

        Raises:
            FloatingPointError: if logits are not finite.
        """
        self.networks.freeze()
        played = [self._play(*pair) for pair in zip(self.collectors, self._targets, strict=True)]
        (total,) = self.processes.all_sum(sum(decisions for _, decisions in played))
        return Batch(*map(torch.cat, zip(*(positions for positions, _ in played), strict=True))), total

    def _play(self, collector: Collector, targets: ActionValueTargets) -> tuple[tuple[torch.Tensor, ...], int]:
        """Play one game's part of a rollout; return the columns of its ``Batch`` and the number of decisions."""
        networks, config, rollout = self.networks, self.config, collector.rollout
        lookahead = config.lookahead if self.decisions >= config.lookahead_start else 1
        collector.begin_rollout()
        try:
            for step in range(collector.num_steps):
                collector.observe(step)
                collector.choose(step, lambda features: networks.policy(features) * INVERSE_TEMPERATURE)
                targets.compute(step, networks.replies, networks.values, lookahead)
                collector.play(step)
            decisions = collector.learner_decisions()
        except FloatingPointError as error:
            raise diverged(self.run, self.decisions, str(error)) from None
        targets.write_returns()
        rows = collector.rows_with_several_legal()
        positions = (
            collector.features(rollout.views, rows),
            rollout.masks.flatten(0, 1)[rows],
            targets.q_targets.flatten(0, 1)[rows],
            rollout.logits.flatten(0, 1)[rows] / INVERSE_TEMPERATURE,
            targets.returns.flatten()[rows],
        )
        return positions, decisions

    def check_finite(self, metrics: dict[str, float]) -> None:
        """Check that losses and weights are finite and that no loss has exploded.

        Raises:
            FloatingPointError: naming the loss or the weight.
        """
        losses = {name: value for name, value in metrics.items() if name.startswith("losses/")}
        # Explained variances may be NaN: they are undefined if all targets are equal. `not abs(x) <` catches NaN.
        wrong = [name for name, value in losses.items() if not abs(value) < EXPLODED and not name.endswith("variance")]
        reason = f"{wrong[0]} is {losses[wrong[0]]:g}" if wrong else None
        for name, weight in self.networks.named_parameters():
            if reason is None and not bool(torch.isfinite(weight).all()):
                reason = f"{name} is not finite"
        if reason is not None:
            raise diverged(self.run, self.decisions, reason)

    def checkpoint(self) -> Checkpoint:
        """Return a checkpoint of the current policy, with the value network once it has been fitted."""
        checkpoint = self._checkpoint_of(self.networks.layers())
        return replace(checkpoint, suit_layers=self.config.suit_layers, value=self._value)

    def _checkpoint_of(self, layers: tuple[Layer, ...]) -> Checkpoint:
        training = {
            "algorithm": "approximate policy iteration: regression on action values, bootstrapped from its own value "
            "network",
            "decisions": self.decisions,
            "config": self.config.model_dump(),
            "code": code_version(),
        }
        return Checkpoint(
            layers,
            self._rules,
            training,
            logits_per_trick=LOGITS_PER_TRICK,
            endgame=EXACT,
            ranks=UNPLAYED,
            inputs=self.config.inputs,
        )

    def save(self) -> None:
        """Write a checkpoint, which joins the pool, the distilled network's checkpoint, and a snapshot."""
        checkpoint = self.checkpoint()
        # A run that was killed after its last update saves twice.
        self._pool = [past for past in self._pool if past.training["decisions"] < self.decisions] + [checkpoint]
        del self._pool[: -self.config.pool_size]
        if self.processes.is_first:
            checkpoint.save(self.run.checkpoint_path(self.decisions))
            self._checkpoint_of(self.networks.rollout_policy_layers()).save(self.run.distilled)
        self.save_snapshot()

    def save_snapshot(self) -> None:
        """Write the snapshot to resume from: everything that the next update depends on.

        It holds no random state, because every random number is a function of the seed and the run's progress.
        """
        own = {
            f"{number}.{name}": torch.from_numpy(array)
            for number, collector in enumerate(self.collectors)
            for name, array in collector.state().items()
        }
        deals = self.processes.all_gather(own)
        if self.processes.is_first:
            tensors = {f"networks.{name}": tensor for name, tensor in self.networks.state().items()}
            for rank, of_process in enumerate(deals):
                tensors |= {f"deals.{rank}.{name}": tensor for name, tensor in of_process.items()}
            about = {
                "decisions": self.decisions,
                "processes": self.processes.size,
                "pool": [past.training["decisions"] for past in self._pool] if POOL in self.config.opponents else [],
            }
            write_snapshot(self.run.snapshot, about, tensors)

    def restore(self) -> None:
        """Restore the state from the snapshot.

        Records that a killed run wrote after the snapshot are dropped.

        Raises:
            ValueError: if the run cannot be resumed; then no file has changed.
        """
        size, rank = self.processes.size, self.processes.rank
        try:
            saved = self.processes.broadcast(self._read_saved() if self.processes.is_first else None)
            about, tensors, self._pool = saved
            if about["processes"] != size:
                raise ValueError(f"the run was trained by {about['processes']} processes, and now there are {size}")
            self.decisions = about["decisions"]
            for number, collector in enumerate(self.collectors):
                own = _below(tensors, f"deals.{rank}.{number}.")
                collector.load_state({name: tensor.numpy() for name, tensor in own.items()})
            self.networks.load_state(_below(tensors, "networks."))
        except KeyError as error:
            raise ValueError(f"{self.run.snapshot} is damaged: it lacks {error}") from None
        if self.processes.is_first:
            self.run.drop_records_after(self.decisions)
            self.run.write_config(self.config)

    def _read_saved(self) -> tuple[dict[str, Any], dict[str, torch.Tensor], list[Checkpoint]]:
        """Read the snapshot and the checkpoints of its pool."""
        about, tensors = read_snapshot(self.run.snapshot)
        return about, tensors, [load_checkpoint(self.run.checkpoint_path(decisions)) for decisions in about["pool"]]

    def fit_value(self) -> None:
        """Fit the value network that later checkpoints hold to self-play of the current policy."""
        config = self.config
        self.networks.freeze()
        outcomes = self_play_outcomes(
            self.networks.policy, config.shares, VALUE_DEALS, config.seed, config.inputs, config.device
        )
        self._value = fit_value(self.networks.value.layers(), config.suit_layers, outcomes)


def _below(tensors: dict[str, torch.Tensor], prefix: str) -> dict[str, torch.Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}

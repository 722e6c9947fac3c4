"""The loop of every training run, and :class:`Trainer`, what an algorithm brings to it.

The loop decides when to save, to evaluate and to stop. It exchanges stop requests in the same place in all processes of
a run, so a signal to one of them stops all after the same update.
"""

from __future__ import annotations

import signal
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, ClassVar, Generic, TypeVar

from german_whist.agents.base import AgentLike
from german_whist.agents.module_checkpoint import AnyCheckpoint
from german_whist.training.config import POOL, SELF, TrainConfig
from german_whist.training.opponents import opponent
from german_whist.training.processes import Processes
from german_whist.training.run.directory import RunDirectory
from german_whist.training.run.outcome import TrainingOutcome
from german_whist.training.run.policies import past_self, policy_of
from german_whist.training.run.records import Callback, Periodic, RunRecords
from german_whist.training.run.version import code_version

TRAINING_DEALS = 2**62  # index of the first deal; evaluations play lower ones, so no run has trained on them

ConfigT = TypeVar("ConfigT", bound=TrainConfig)


class Trainer(ABC, Generic[ConfigT]):
    """An algorithm in training, with everything that its next update depends on.

    The loop constructs it, calls :meth:`begin` or :meth:`restore`, then :meth:`update` until the run has its decisions,
    with :meth:`save` in between, and :meth:`finish`. All processes of a run make the same calls.

    Attributes:
        config: the settings.
        run: the run's folder, in which the first process writes.
        processes: the processes that train together.
        decisions: the learner's decisions trained on so far, by all processes.
        notes: lines to print when the run begins.
        config_class: the class of the settings.
    """

    config_class: ClassVar[type[TrainConfig]] = TrainConfig

    def __init__(self, config: ConfigT, run: RunDirectory, processes: Processes) -> None:
        """Keep the settings; algorithms build their networks and environments.

        Raises:
            ValueError: if the settings do not fit this machine.
        """
        self.config = config
        self.run = run
        self.processes = processes
        self.decisions = 0
        self.notes: list[str] = []

    def begin(self) -> None:
        """Do what a new run needs, such as loading weights to start from, before anything is written.

        Raises:
            ValueError: if the run cannot begin.
        """

    @abstractmethod
    def restore(self) -> None:
        """Restore what :meth:`save_snapshot` has written; nothing has been written since.

        Raises:
            ValueError: if the run cannot be resumed.
        """

    @abstractmethod
    def update(self) -> tuple[int, dict[str, float]]:
        """Play, learn, and count the decisions.

        Returns:
            The number of decisions played, by all processes, and metrics by name, the same ones in every update.

        Raises:
            FloatingPointError: if training diverges.
        """

    @abstractmethod
    def checkpoint(self) -> AnyCheckpoint:
        """Return a checkpoint of the policy as it is now: of a multilayer perceptron, or of a torch module."""

    def save(self) -> None:
        """Write a checkpoint and a snapshot."""
        if self.processes.is_first:
            self.checkpoint().save(self.run.checkpoint_path(self.decisions))
        self.save_snapshot()

    @abstractmethod
    def save_snapshot(self) -> None:
        """Write the state to resume from, and nothing else: a run that is stopped and resumed ends like any other."""

    def finish(self) -> None:
        """Do what the final checkpoint needs, after the last update."""

    def opponents(self) -> dict[AgentLike, float]:
        """Return the opponents of the next update and their shares of the deals, as ``opponents`` in the settings.

        The learner itself is its checkpoint as it is now; the pool has the newest checkpoints of the run. Policies are
        sampled, agents that are modules act as they do.
        """
        shares: dict[AgentLike, float] = {}
        for name, share in self.config.opponents.items():
            if name == SELF:
                shares[policy_of(self.checkpoint(), 1.0)] = share
            elif name == POOL:
                past = self.run.checkpoint_paths()[-self.config.pool_size :]
                shares |= {past_self(self.run, path, 1.0): share / len(past) for path in past}
            else:
                shares[opponent(name)] = share
        return shares

    def model_card(self, algorithm: str) -> dict[str, Any]:
        """Return what a checkpoint says of its training."""
        return {
            "algorithm": algorithm,
            "decisions": self.decisions,
            "config": self.config.model_dump(),
            "code": code_version(),
        }


def run_loop(
    trainer: Trainer[Any], *, resumes: bool, quiet: bool = False, callback: Callback | None = None
) -> TrainingOutcome:
    """Train until the run has its decisions or is asked to stop.

    Args:
        trainer: as constructed.
        resumes: whether the run goes on from its snapshot.
        quiet: show no progress.
        callback: see :func:`german_whist.train`.

    Raises:
        FloatingPointError: if training diverges.
    """
    config, run, processes = trainer.config, trainer.run, trainer.processes
    if resumes:
        trainer.restore()
    else:
        trainer.begin()
    if processes.is_first:
        run.drop_records_after(trainer.decisions)
        run.begin(config)
    if not resumes:
        trainer.save()
    stop = StopRequest()
    with ExitStack() as stack:
        records = stack.enter_context(
            RunRecords(run, config, trainer.decisions, quiet=quiet, callback=callback, writes=processes.is_first)
        )
        stack.enter_context(stop_signals(stop, records.say))
        records.say(f"training in {run.given}")
        for line in trainer.notes:
            records.say(line)
        save_is_due = Periodic(config.checkpoint_every, trainer.decisions)
        while trainer.decisions < config.decisions:
            if save_is_due(trainer.decisions):
                trainer.save()
            records.evaluate_if_due(trainer.decisions, trainer.checkpoint)
            if any(processes.all_sum(stop.is_made)):
                # A checkpoint here would join the pool, and the resumed run would differ from one never stopped.
                trainer.save_snapshot()
                return TrainingOutcome(run, trainer.decisions, ())
            records.begin_update()
            try:
                played, metrics = trainer.update()
            except FloatingPointError as error:
                raise FloatingPointError(
                    f"training diverged before decision {trainer.decisions}: {error}; "
                    f"the checkpoints before it are in {run.checkpoints}"
                ) from None
            records.write_update(trainer.decisions, played, metrics)
        trainer.save()
        if any(processes.all_sum(stop.is_made)):
            return TrainingOutcome(run, trainer.decisions, ())
        trainer.finish()
        outcome: TrainingOutcome = processes.broadcast(records.finish(trainer.decisions, trainer.checkpoint()))
        return outcome


class StopRequest:
    """A request to stop a run, made by a signal and checked after each update.

    Attributes:
        is_made: whether the run has been asked to stop.
    """

    def __init__(self) -> None:
        """Start without a request."""
        self.is_made = False


@contextmanager
def stop_signals(stop: StopRequest, say: Callable[[str], None]) -> Iterator[None]:
    """Turn SIGINT and SIGTERM into stop requests; a second SIGINT interrupts at once, as usual.

    Only the main thread can set signal handlers; in any other this does nothing.

    Args:
        stop: the request to make.
        say: prints a line after the first signal.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def ask(number: int, frame: Any) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if not stop.is_made:
            stop.is_made = True
            # Printed by another thread, because the interrupted one may hold the console's lock.
            line = "stopping after this update or evaluation; Ctrl-C again to stop at once"
            threading.Thread(target=say, args=(line,)).start()

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

"""Write a checkpoint, policy and value, from the snapshot of a run of ``trainer: policy_iteration``, finished or not.

``python -m german_whist.training.snapshot_checkpoint RUN FILE`` leaves the run as it is, so it may still be going on.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from german_whist.training.config.schema import PolicyIterationConfig
from german_whist.training.learning.snapshot import Snapshot
from german_whist.training.policy_iteration.learner import PolicyIterationLearner
from german_whist.training.run.directory import RunDirectory
from german_whist.training.run.distributed import Processes
from german_whist.training.run.resume_file import cannot_resume


def snapshot_checkpoint(run_path: str | Path, target: str | Path) -> int:
    """Write the policy of a run's snapshot with its value network, and return the decisions that it has seen.

    Args:
        run_path: the run's folder, which is only read.
        target: the checkpoint file to write.

    Raises:
        ValueError: when it is no run of policy iteration with a snapshot, or the snapshot is of other settings.
        OSError: when the file cannot be written.
    """
    run, config = RunDirectory.open(run_path)
    if not isinstance(config, PolicyIterationConfig):
        raise ValueError(f"run {str(run_path)!r} is of trainer: {config.TRAINER}: only policy_iteration has a value")
    if not run.has_snapshot:
        raise ValueError(f"run {str(run_path)!r} has no snapshot yet")
    snapshot = Snapshot.load(run.resume)
    small = config.replace(opponents={"random": 1.0}, evaluate_against=["random"])  # nobody plays them
    learner = PolicyIterationLearner(small, run, Processes())
    learner.config = config
    try:
        learner.algorithm.load_state(snapshot.learner)
    except (ValueError, KeyError) as error:
        raise cannot_resume(run.resume, error) from None
    learner.decisions = snapshot.decisions
    learner.fit_value()
    learner.checkpoint().save(target)
    return snapshot.decisions


def main(words: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m german_whist.training.snapshot_checkpoint", description=__doc__)
    parser.add_argument("run", metavar="RUN", help="the run's folder")
    parser.add_argument("target", metavar="FILE", help="the checkpoint to write")
    options = parser.parse_args(words)
    try:
        decisions = snapshot_checkpoint(options.run, options.target)
    except (ValueError, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    print(f"{options.target}: after {decisions:,} decisions")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

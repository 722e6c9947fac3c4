"""``german_whist.train``: start or resume a run from Python."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from german_whist.envs.utils.libraries import missing_library

if TYPE_CHECKING:
    from german_whist.training.records import Callback, TrainingOutcome

_GIVEN_BY = "train"  # name of the call's settings in error messages


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

    Works in notebooks and threads, and restores random states and thread counts at the end. Ctrl-C saves the run, which
    can be resumed; the outcome is then ``interrupted``.

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
        ValueError: if a setting is unknown or not allowed, the folder already holds a run, or the run cannot be
            resumed.
        RuntimeError: if this process is training another run.
        ModuleNotFoundError: if a library that the trainer needs is not installed.
        FloatingPointError: if training diverges; the last good checkpoint is kept.
        OSError: if a file cannot be written; the run can be resumed.
    """
    try:
        from german_whist.training.load_config import load_config
        from german_whist.training.run import RunDirectory
        from german_whist.training.train import load_trainer
        from german_whist.training.train import train as train_run
    except ImportError as error:
        library = missing_library(error)
        if library is None:
            raise
        raise ModuleNotFoundError(
            f'train needs {library.name}: pip install "german-whist[{library.extra}]"', name=error.name
        ) from None
    if resume is not None:
        if config != "quickstart" or out is not None:
            raise ValueError("train: resume uses the run's own configuration and folder: leave out config and out")
        run, found = RunDirectory.open(Path(resume).absolute(), settings, _GIVEN_BY)
    else:
        found = load_config(config, settings, _GIVEN_BY)
        load_trainer(found)  # a missing library is reported before a folder is created
        # Absolute, because a callback or a notebook may change the working folder.
        run = RunDirectory.create(Path(config).stem, out and Path(out).absolute(), Path("runs").absolute())
    return train_run(found, run, resume=resume is not None, quiet=quiet, callback=callback)

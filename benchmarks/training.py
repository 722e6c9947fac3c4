"""Training decisions a second of self-play MaskablePPO on one core, beside the usual way to train.

The usual way is sb3-contrib's MaskablePPO on a ``DummyVecEnv`` of Gymnasium environments with an opponent. Both
learners have the quickstart's network, minibatches and epochs: what differs is how decisions come to them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from german_whist.benchmarks.figures import Figure, Skipped
from german_whist.benchmarks.timing import Tick, rates
from german_whist.training.config import TrainConfig, load_config

if TYPE_CHECKING:
    from sb3_contrib import MaskablePPO

SUBJECT = "training"
NAME = "SB3 decisions"
PEER = "DummyVecEnv of 8"
RECIPE = "quickstart"

_ENVIRONMENTS = 8
_OPPONENT = "random"  # the cheapest there is
_ROUNDS = 3  # each is at least a whole rollout with its gradient steps


def measure(seconds: float, tick: Tick, config: TrainConfig | None = None) -> list[Figure | Skipped]:
    """Measure both learners in the same run, each for ``seconds`` or a few rollouts.

    Args:
        seconds: time for each.
        tick: told of the progress.
        config: the training settings; the quickstart's by default.
    """
    try:
        import sb3_contrib  # noqa: F401 - only to see whether it is there
    except ImportError as error:
        return [Skipped.missing(SUBJECT, NAME, error)]
    settings = config or load_config(RECIPE)
    with _one_thread():
        workloads = {NAME: _self_play(settings), PEER: _usual_way(settings)}
        measured = rates(workloads, seconds, tick, _ROUNDS)
    return [Figure(SUBJECT, NAME, "/s", measured[NAME], PEER, measured[PEER])]


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let torch use one thread, and not check its distributions' arguments, as in training."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.distributions.Distribution.set_default_validate_args(False)
    try:
        yield
    finally:
        torch.distributions.Distribution.set_default_validate_args(__debug__)
        torch.set_num_threads(threads)


def _self_play(config: TrainConfig) -> partial[int]:
    from german_whist.training.learner import Learner
    from german_whist.training.run_directory import RunDirectory

    model = Learner(config, RunDirectory("unused")).model
    return partial(_learn, model, config.rows * config.steps)


def _usual_way(config: TrainConfig) -> partial[int]:
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.vec_env import DummyVecEnv

    from german_whist.agents.registry import make_agent
    from german_whist.envs.single import GermanWhistEnv
    from german_whist.training.network import policy_settings

    environments = DummyVecEnv([lambda: GermanWhistEnv(make_agent(_OPPONENT), config.rules)] * _ENVIRONMENTS)
    batch_size = min(config.batch_size, config.rows * config.steps)
    steps = max(batch_size // _ENVIRONMENTS, 1)
    model = MaskablePPO(
        "MlpPolicy",
        environments,
        n_steps=steps,
        batch_size=steps * _ENVIRONMENTS,
        n_epochs=config.epochs,
        policy_kwargs=policy_settings(config.hidden),
        device=config.device,
        seed=config.seed,
    )
    return partial(_learn, model, steps * _ENVIRONMENTS)


def _learn(model: MaskablePPO, decisions: int) -> int:
    """Collect one rollout and learn from it; return the number of decisions."""
    from stable_baselines3.common.logger import Logger

    model.set_logger(Logger(None, []))  # not the default one, which makes a folder
    model.learn(decisions, reset_num_timesteps=False)
    return decisions

"""Decisions a second of training: our own trainer beside MaskablePPO on the same deals, and that beside the usual way.

The usual way is sb3-contrib's MaskablePPO on a ``DummyVecEnv`` of Gymnasium environments with an opponent. All have the
quickstart's actor; both MaskablePPOs have its minibatches and epochs too, our own trainer those of its own recipe. Our
own and the one beside it may use one thread or two, whichever is faster for each.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from german_whist.benchmarks.harness.figures import Figure, Skipped
from german_whist.benchmarks.harness.timing import Tick, Workload, rates
from german_whist.training.config.load import PPOConfig, TrainConfig, load_config

if TYPE_CHECKING:
    from sb3_contrib import MaskablePPO

SUBJECT = "training"
NAME = "SB3 decisions"
PEER = "DummyVecEnv of 8"
OWN_NAME = "own trainer's decisions"
OWN_PEER = "SB3, same network"
RECIPE = "quickstart"
OWN_RECIPE = "ppo"

_ENVIRONMENTS = 8
_OPPONENT = "random"  # the cheapest there is
_ROUNDS = 3  # each is at least a whole rollout with its gradient steps
_THREADS = (1, 2)


def measure(
    seconds: float, tick: Tick, config: TrainConfig | None = None, own: PPOConfig | None = None
) -> list[Figure | Skipped]:
    """Measure the learners in the same run, each for ``seconds`` or a few rollouts.

    Args:
        seconds: time for each.
        tick: told of the progress.
        config: settings of both MaskablePPOs; the quickstart's by default.
        own: settings of our own trainer; its recipe's by default, with the quickstart's network.
    """
    try:
        import sb3_contrib  # noqa: F401 - only to see whether it is there
    except ImportError as error:
        return [Skipped.missing(SUBJECT, NAME, error)]
    settings = config or load_config(RECIPE)
    own_settings = own or load_config(OWN_RECIPE, {"hidden": str(settings.hidden)})
    assert isinstance(own_settings, PPOConfig)
    with _torch_as_in_training():
        self_play, ours = _self_play(settings), _own(own_settings)
        workloads: dict[tuple[str, int], Workload] = {(PEER, 1): _usual_way(settings)}
        for threads in _THREADS:
            workloads[NAME, threads] = partial(_with_threads, threads, self_play)
            workloads[OWN_NAME, threads] = partial(_with_threads, threads, ours)
        measured = rates(workloads, seconds, tick, _ROUNDS)
    usual = measured[PEER, 1]
    [sb3, best] = [max(measured[name, threads] for threads in _THREADS) for name in (NAME, OWN_NAME)]
    return [
        Figure(SUBJECT, NAME, "/s", measured[NAME, 1], PEER, usual),
        Figure(SUBJECT, OWN_NAME, "/s", best, OWN_PEER, sb3),
    ]


@contextmanager
def _torch_as_in_training() -> Iterator[None]:
    """Let torch use one thread, and not check its distributions' arguments; afterwards all is as before."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.distributions.Distribution.set_default_validate_args(False)
    try:
        yield
    finally:
        torch.distributions.Distribution.set_default_validate_args(__debug__)
        torch.set_num_threads(threads)


def _with_threads(threads: int, workload: Workload) -> int:
    import torch

    torch.set_num_threads(threads)
    try:
        return workload()
    finally:
        torch.set_num_threads(1)


def _own(config: PPOConfig) -> Workload:
    from german_whist.training.ppo.learner import PPOLearner
    from german_whist.training.run.directory import RunDirectory
    from german_whist.training.run.distributed import Processes

    learner = PPOLearner(config, RunDirectory("unused"), Processes())

    def learn() -> int:
        before = learner.decisions
        learner.train_once(lambda decisions: None)
        return learner.decisions - before

    return learn


def _self_play(config: TrainConfig) -> partial[int]:
    from german_whist.training.run.directory import RunDirectory
    from german_whist.training.sb3.learner import Learner

    model = Learner(config, RunDirectory("unused")).model
    return partial(_learn, model, config.num_envs * config.num_steps)


def _usual_way(config: TrainConfig) -> partial[int]:
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.vec_env import DummyVecEnv

    from german_whist.agents.registry import make_agent
    from german_whist.envs.gymnasium_env import GermanWhistEnv
    from german_whist.training.sb3.policy import policy_settings

    environments = DummyVecEnv([lambda: GermanWhistEnv(make_agent(_OPPONENT), config.rules)] * _ENVIRONMENTS)
    batch_size = min(config.batch_size, config.num_envs * config.num_steps)
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

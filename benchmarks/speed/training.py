"""Training speed in decisions a second: our own PPO, MaskablePPO on our batches, and MaskablePPO the usual way.

The usual way is sb3-contrib's MaskablePPO on a ``DummyVecEnv`` of Gymnasium environments with an opponent. All three
have the same actor. Both MaskablePPOs have the default minibatches and epochs of ``trainer: sb3``, our own PPO those of
its recipe. Our own PPO and MaskablePPO on our batches use one thread or two, whichever is faster for each.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from german_whist.benchmarks.harness.figures import Figure, Skipped
from german_whist.benchmarks.harness.timing import Tick, Workload, rates
from german_whist.training.config.load import load_config
from german_whist.training.config.schema import PPOConfig, SB3Config

if TYPE_CHECKING:
    from sb3_contrib import MaskablePPO

SUBJECT = "training"
NAME = "SB3 decisions"
PEER = "DummyVecEnv of 8"
OWN_NAME = "own trainer's decisions"
OWN_PEER = "SB3, same network"
OWN_RECIPE = "ppo"

_ENVIRONMENTS = 8
_OPPONENT = "random"  # the cheapest agent
_ROUNDS = 3  # each round is at least a whole rollout with its gradient steps
_THREADS = (1, 2)


def measure(
    seconds: float, tick: Tick, config: SB3Config | None = None, own: PPOConfig | None = None
) -> list[Figure | Skipped]:
    """Measure the learners in the same run, each for ``seconds`` or a few rollouts.

    Args:
        seconds: time for each.
        tick: called with the progress.
        config: of both MaskablePPOs; by default the defaults of ``trainer: sb3``, pure self-play.
        own: configuration of our own PPO; by default its recipe's, with the network of MaskablePPO's.
    """
    try:
        import sb3_contrib  # noqa: F401 - only to see whether it is installed
    except ImportError as error:
        return [Skipped.missing(SUBJECT, NAME, error)]
    settings = config or SB3Config.of()
    own_settings = own or load_config(OWN_RECIPE, {"hidden": str(settings.network.hidden)})
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
    """Let torch use one thread and skip the checks of its distributions' arguments; restore both afterwards."""
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


def _self_play(config: SB3Config) -> partial[int]:
    from german_whist.training.run.directory import RunDirectory
    from german_whist.training.sb3.learner import SB3Learner

    model = SB3Learner(config, RunDirectory("unused")).model
    return partial(_learn, model, config.rollouts.num_envs * config.rollouts.num_steps)


def _usual_way(config: SB3Config) -> partial[int]:
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.vec_env import DummyVecEnv

    from german_whist.agents.registry import make_agent
    from german_whist.envs.gymnasium_env import GermanWhistEnv
    from german_whist.training.sb3.policy import policy_settings

    environments = DummyVecEnv([lambda: GermanWhistEnv(make_agent(_OPPONENT), config.game.rules)] * _ENVIRONMENTS)
    batch_size = min(config.optimizer.batch_size, config.rollouts.num_envs * config.rollouts.num_steps)
    steps = max(batch_size // _ENVIRONMENTS, 1)
    model = MaskablePPO(
        "MlpPolicy",
        environments,
        n_steps=steps,
        batch_size=steps * _ENVIRONMENTS,
        n_epochs=config.optimizer.epochs,
        policy_kwargs=policy_settings(config.network.hidden),
        device=config.run.device,
        seed=config.run.seed,
    )
    return partial(_learn, model, steps * _ENVIRONMENTS)


def _learn(model: MaskablePPO, decisions: int) -> int:
    """Collect one rollout and learn from it; return the number of decisions."""
    from stable_baselines3.common.logger import Logger

    model.set_logger(Logger(None, []))  # not the default one, which makes a folder
    model.learn(decisions, reset_num_timesteps=False)
    return decisions

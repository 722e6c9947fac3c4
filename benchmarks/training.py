"""Training speed in decisions a second: policy iteration, MaskablePPO on our batches, and MaskablePPO the usual way.

The usual way is sb3-contrib's MaskablePPO on a ``DummyVecEnv`` of Gymnasium environments with an opponent. Both
MaskablePPOs have the defaults of ``trainer: sb3``; policy iteration, which tries every action of a position, is that of
the quickstart in self-play. All use one thread.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from german_whist.benchmarks.harness import Figure, Skipped, Tick, Workload, rates
from german_whist.training.config import PolicyIterationConfig, SB3Config
from german_whist.training.load_config import load_config

if TYPE_CHECKING:
    from sb3_contrib import MaskablePPO

SUBJECT = "training"
NAME = "SB3 decisions"
PEER = "DummyVecEnv of 8"
OWN_NAME = "policy iteration's decisions"
OWN_PEER = "SB3 on our batches"
OWN_RECIPE = "quickstart"

_ENVIRONMENTS = 8
_OPPONENT = "random"  # the cheapest agent
_ROUNDS = 3  # each round is at least a whole rollout with its gradient steps


def measure_training(
    seconds: float, tick: Tick, config: SB3Config | None = None, own: PolicyIterationConfig | None = None
) -> list[Figure | Skipped]:
    """Measure the learners in the same run, each for ``seconds`` or a few rollouts.

    Args:
        seconds: time for each.
        tick: called with the progress.
        config: of both MaskablePPOs; by default the defaults of ``trainer: sb3``, pure self-play.
        own: of policy iteration; by default the quickstart's in one process, pure self-play.
    """
    try:
        import sb3_contrib  # noqa: F401 - only to see whether it is installed
    except ImportError as error:
        return [Skipped.missing(SUBJECT, NAME, error)]
    settings = config or SB3Config.of()
    own_settings = own or load_config(OWN_RECIPE, {"opponents": "{self: 1}", "processes": "1"})
    assert isinstance(own_settings, PolicyIterationConfig)
    with _torch_as_in_training():
        workloads: dict[str, Workload] = {
            PEER: _usual_way(settings),
            NAME: _self_play(settings),
            OWN_NAME: _own(own_settings),
        }
        measured = rates(workloads, seconds, tick, _ROUNDS)
    return [
        Figure(SUBJECT, NAME, "/s", measured[NAME], PEER, measured[PEER]),
        Figure(SUBJECT, OWN_NAME, "/s", measured[OWN_NAME], OWN_PEER, measured[NAME]),
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


def _own(config: PolicyIterationConfig) -> Workload:
    from german_whist.training.policy_iteration import Learner
    from german_whist.training.run.directory import RunDirectory
    from german_whist.training.run.processes import Processes

    learner = Learner(config, RunDirectory("unused"), Processes())

    def learn() -> int:
        before = learner.decisions
        learner.train_once(lambda decisions: None)
        return learner.decisions - before

    return learn


def _self_play(config: SB3Config) -> partial[int]:
    from german_whist.training.run.directory import RunDirectory
    from german_whist.training.sb3.trainer import SB3Learner

    model = SB3Learner(config, RunDirectory("unused")).model
    return partial(_learn, model, config.num_envs * config.num_steps)


def _usual_way(config: SB3Config) -> partial[int]:
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

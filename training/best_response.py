"""A bound on exploitability in any game: a best response to an agent, trained with all deals against it.

What the responder wins bounds from below what a best response wins. A weak responder proves nothing, so it starts from
the agent's own weights where the agent is a network, and its curve tells whether more training would find more.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from german_whist.agents.policy.checkpoint import load_checkpoint
from german_whist.agents.pretrained.catalog import (
    CHAMPION,
    PRETRAINED_NAMES,
    find_network,
)
from german_whist.agents.registry import checkpoint_spec, split_checkpoint, split_suffixes
from german_whist.arena.match import play_match
from german_whist.arena.statistics import finite_ends
from german_whist.envs.utils.specs import must_be, short_repr
from german_whist.training.config import INIT, OPPONENT, POOL, SELF, PolicyIterationConfig, TrainConfig
from german_whist.training.load_config import load_config
from german_whist.training.rollouts import HEURISTIC
from german_whist.training.run.directory import RunDirectory
from german_whist.training.run.records import EVALUATION_SEED
from german_whist.training.train import train

RECIPE = "quickstart"
DEFAULT_DEALS = 2000  # of each evaluation
LEARNING_RATE = 3e-4  # of a responder that starts from trained weights; a larger one first loses games
EVALUATIONS = 8  # points of the curve
# Decisions against an agent are dearer than those of self-play: more is learnt from each.
SAMPLE_EFFICIENT = {"batch_size": 1024, "learning_rate": 0.002, "stock_rotations": 4}


@dataclass(frozen=True, kw_only=True)
class BestResponseBound:
    """What a trained responder wins against an agent, on deals that it did not learn on.

    Attributes:
        agent: the agent's specification string.
        rules: the game.
        decisions: the responder's decisions in training.
        win_rate: games that the responder wins at the end, draws counted half.
        interval: its 95 % confidence interval.
        margin: counted tricks per deal.
        margin_interval: its 95 % confidence interval.
        endgame: ``"exact"``: the solver plays both sides' endgames, so the bound is that of ``AGENT+exact``; or
            ``"played"``.
        curve: decisions and win rate of each evaluation, all on the same deals.
        rise: win rate of the last evaluation minus the one at half the decisions.
        flat: whether ``rise`` is less than half the width of the interval: only then is the end called a bound.
        run: the run's folder.
        search: worlds of the responder's lookahead in ``search_win_rate``; 0 if it was not measured with a search.
        search_win_rate: games that the trained responder wins with that search, on the same deals.
        search_interval: its 95 % confidence interval.
    """

    agent: str
    rules: str
    decisions: int
    win_rate: float
    interval: tuple[float, float]
    margin: float
    margin_interval: tuple[float, float]
    endgame: str
    curve: tuple[tuple[int, float], ...]
    rise: float
    flat: bool
    run: str
    search: int = 0
    search_win_rate: float | None = None
    search_interval: tuple[float, float] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data, ready for JSON; unbounded ends of intervals are ``None``."""
        found = asdict(self)
        for name in ("interval", "margin_interval", "search_interval"):
            found[name] = None if found[name] is None else finite_ends(found[name])
        return found


def own_weights(agent: str) -> str:
    """Return the network that an agent plays with, as ``init`` names it; empty if it plays with none."""
    name, _, settings = split_suffixes(agent)[0].partition(":")
    if name == "checkpoint":
        return split_checkpoint(settings)[0]
    return name if name in PRETRAINED_NAMES else ""


def _is_plain(agent: str) -> bool:
    """Return whether a network plays its best action: no search, temperature or other settings."""
    name, _, settings = split_suffixes(agent)[0].partition(":")
    return not (split_checkpoint(settings)[1] if name == "checkpoint" else settings)


def responder_config(
    agent: str,
    rules: str = "classic",
    *,
    decisions: int,
    deals: int = DEFAULT_DEALS,
    settings: Mapping[str, str] | None = None,
) -> TrainConfig:
    """Return the training configuration of a responder: the recipe ``quickstart`` with every deal against the agent.

    Args:
        agent: the agent's specification string.
        rules: the game.
        decisions: the responder's decisions.
        deals: mirrored deals of each evaluation.
        settings: other settings of the trainer, as YAML text by name.

    Raises:
        ValueError: if the agent or a setting is not allowed.
    """
    trainer = (settings or {}).get("trainer", PolicyIterationConfig.TRAINER)
    if trainer != PolicyIterationConfig.TRAINER:
        raise ValueError(must_be("trainer", f"{PolicyIterationConfig.TRAINER}, which trains responders", trainer))
    given: dict[str, object] = {
        **SAMPLE_EFFICIENT,
        "rules": rules,
        "decisions": decisions,
        "opponents": {agent: 1.0},
        "evaluate_against": [agent],
        "evaluate_every": max(1, decisions // EVALUATIONS),
        "evaluate_deals": deals,
        "final_deals": deals,
        "checkpoint_every": max(1, decisions // 2),
    }
    start = own = own_weights(agent)
    if start and not find_network(start).value:  # targets of an untrained value network would ruin the policy
        start = CHAMPION
    if start:
        given["init"] = start
    if start or "init" in (settings or {}):
        given["learning_rate"] = LEARNING_RATE
    if agent.partition("+")[0] != HEURISTIC and "opponents" not in (settings or {}):  # lookaheads ask that bot itself
        given["lookahead_policy"] = INIT if start and start == own and _is_plain(agent) else OPPONENT
    config = load_config(RECIPE, {**{key: json.dumps(value) for key, value in given.items()}, **(settings or {})})
    opponent_of(config)
    return config


def opponent_of(config: TrainConfig) -> str:
    """Return the agent that a configuration trains a responder to.

    Raises:
        ValueError: if it is no responder's: one game, and one agent in every deal and every evaluation.
    """
    opponents, evaluated = list(config.opponents), list(config.evaluate_against)
    if len(opponents) != 1 or opponents[0] in (SELF, POOL) or evaluated != opponents or len(config.shares) != 1:
        raise ValueError(
            f"a responder plays one agent in every deal and evaluation: opponents {short_repr(', '.join(opponents))} "
            f"and evaluate_against {short_repr(', '.join(evaluated))} are something else"
        )
    return opponents[0]


def train_best_response(
    config: TrainConfig, run: RunDirectory, *, resume: bool = False, search: int = 0, quiet: bool = False
) -> BestResponseBound | None:
    """Train a responder and return what it wins; ``None`` if training was interrupted, which ``resume`` goes on with.

    Args:
        config: from :func:`responder_config`, or that of the run to resume.
        run: the run's folder.
        resume: continue from the run's snapshot.
        search: also measure the trained responder with lookahead in so many worlds; 0 does not.
        quiet: show no progress.

    Raises:
        ValueError: as ``train``, or when the configuration is no responder's.
    """
    opponent_of(config)
    if train(config, run, resume=resume, quiet=quiet).interrupted:
        return None
    return bound_of(run, search=search)


def bound_of(run: RunDirectory, *, search: int = 0) -> BestResponseBound:
    """Return what the responder of a finished run wins, and whether its curve is flat.

    Args:
        run: the run's folder.
        search: also measure the responder with lookahead in so many worlds; 0 does not.

    Raises:
        ValueError: if the run has not ended, is no responder's, or its files cannot be read.
    """
    config = load_config(run.config)
    agent = opponent_of(config)
    if not run.final.is_file():
        raise ValueError(f"run {str(run.path)!r} has not ended: it has no {run.final.name}")
    responder = load_checkpoint(run.final)
    decisions, result = responder.training["decisions"], responder.results[agent]
    interval, margin_interval = (_ends(*result[name]) for name in ("interval", "margin_interval"))
    (rules,) = config.shares
    points = ((int(row["decisions"]), float(row["win_rate"])) for row in run.read_evaluations())
    curve = tuple(point for point in points if point[0] <= decisions)  # the run may have gone on since it ended
    half = min(curve, key=lambda point: abs(point[0] - decisions / 2))
    rise = curve[-1][1] - half[1]
    searched = None
    if search:
        searched = play_match(
            checkpoint_spec(run.final, search=search),
            agent,
            result["deals"],
            EVALUATION_SEED,
            rules,
            endgame=result["endgame"],
        )
    return BestResponseBound(
        agent=agent,
        rules=rules,
        decisions=decisions,
        win_rate=result["win_rate"],
        interval=interval,
        margin=result["margin"],
        margin_interval=margin_interval,
        endgame=result["endgame"],
        curve=curve,
        rise=rise,
        flat=len(curve) > 2 and rise < (interval[1] - interval[0]) / 2,
        run=str(run.path),
        search=search,
        search_win_rate=None if searched is None else searched.win_rate,
        search_interval=None if searched is None else searched.interval,
    )


def _ends(low: float | None, high: float | None) -> tuple[float, float]:
    """Return the ends of an interval read from a file, where ``None`` stands for unbounded."""
    return -math.inf if low is None else low, math.inf if high is None else high

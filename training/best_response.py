"""A bound on exploitability in any game: a best response to an agent, trained with all deals against it.

What the responder wins bounds from below what a best response wins. A weak responder proves nothing, so it starts from
the agent's own weights where the agent is a network, and its curve tells whether more training would find more.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from german_whist.agents.pretrained.catalog import pretrained_names
from german_whist.agents.search.settings import SearchSettings
from german_whist.arena.match import play_match
from german_whist.training.config.load import load_config
from german_whist.training.config.schema import TrainConfig
from german_whist.training.run.directory import RunDirectory
from german_whist.training.run.evaluation import EVALUATION_SEED
from german_whist.training.train import train

RECIPE = "quickstart"
EVALUATIONS = 8  # points of the curve


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
    curve: tuple[tuple[int, float], ...]
    rise: float
    flat: bool
    run: str
    search: int = 0
    search_win_rate: float | None = None
    search_interval: tuple[float, float] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data, ready for JSON."""
        return asdict(self)


def own_weights(agent: str) -> str:
    """Return the network that an agent plays, as the setting ``init`` names it; empty if it plays none."""
    name, _, settings = agent.removesuffix("+exact").partition(":")
    if name == "checkpoint":
        return settings.partition(",")[0]
    return name if name in pretrained_names() else ""


def responder_config(
    agent: str,
    rules: str = "classic",
    *,
    decisions: int,
    deals: int = 2000,
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
    given: dict[str, object] = {
        "rules": rules,
        "decisions": decisions,
        "opponents": {agent: 1.0},
        "evaluate_against": [agent],
        "evaluate_every": max(1, decisions // EVALUATIONS),
        "evaluate_deals": deals,
        "final_deals": deals,
        "checkpoint_every": max(1, decisions // 2),
    }
    start = own_weights(agent)
    if start:
        given |= {"init": start, "lookahead_policy": "init"}  # the agent's own network replies in the lookaheads
    return load_config(RECIPE, {**{key: json.dumps(value) for key, value in given.items()}, **(settings or {})})


def train_best_response(
    agent: str, config: TrainConfig, out: str | Path | None = None, *, search: int = 0, quiet: bool = False
) -> BestResponseBound | None:
    """Train a responder and return what it wins; ``None`` if training was interrupted.

    Args:
        agent: the agent's specification string.
        config: from :func:`responder_config`.
        out: the run's folder; by default ``runs/best-response``, ``runs/best-response-2``, …
        search: also measure the trained responder with lookahead in so many worlds; 0 does not.
        quiet: show no progress.

    Raises:
        ValueError: as ``train``, or when the number of worlds is not allowed.
    """
    if search:
        SearchSettings(worlds=search)
    outcome = train(config, RunDirectory.create(config, "best-response", out), quiet=quiet)
    if outcome.interrupted:
        return None
    (result,) = outcome.results
    rows = outcome.run.read_evaluations()
    curve = tuple((int(row["decisions"]), float(row["win_rate"])) for row in rows)
    half = min(curve, key=lambda point: abs(point[0] - outcome.decisions / 2))
    rise = curve[-1][1] - half[1]
    searched = None
    if search:
        responder = f"checkpoint:{outcome.run.final},search={search}"
        searched = play_match(
            responder, agent, result.deals, EVALUATION_SEED, config.game.rules, endgame=result.endgame
        )
    return BestResponseBound(
        agent=agent,
        rules=config.game.rules,
        decisions=outcome.decisions,
        win_rate=result.win_rate,
        interval=result.interval,
        margin=result.margin,
        margin_interval=result.margin_interval,
        curve=curve,
        rise=rise,
        flat=len(curve) > 2 and rise < (result.interval[1] - result.interval[0]) / 2,
        run=str(outcome.run.path),
        search=search,
        search_win_rate=None if searched is None else searched.win_rate,
        search_interval=None if searched is None else searched.interval,
    )

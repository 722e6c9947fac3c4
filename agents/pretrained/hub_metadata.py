"""The metadata of the model cards: a block of YAML at the head of the page, as model hubs read it.

Its form is that of the Hugging Face Hub: licence, library, task, tags, and ``model-index`` with what was measured. For
reinforcement learning the environment stands in the place of the data set.
"""

from __future__ import annotations

from typing import Any

import yaml

from german_whist.agents.pretrained.catalog import PretrainedNetwork

ENVIRONMENT = "GermanWhist-v0"  # its name in Gymnasium
TASK = "reinforcement-learning"
TAGS = (TASK, "german-whist", "card-game", "self-play", "imperfect-information", "pettingzoo", "gymnasium")
NOT_BY_DEFAULT = ", network to the end"  # results of other settings than those that an agent has by its name


def front_matter(networks: tuple[PretrainedNetwork, ...]) -> str:
    """Return the metadata of these networks as YAML between two lines of dashes."""
    fields = {
        "license": "mit",
        "library_name": "german-whist",
        "pipeline_tag": TASK,
        "tags": list(TAGS),
        "model-index": [_entry(network) for network in networks],
    }
    text = yaml.safe_dump(fields, default_flow_style=None, sort_keys=False, allow_unicode=True, width=120)
    return f"---\n{text}---\n"


def _entry(network: PretrainedNetwork) -> dict[str, Any]:
    """Return the entry of ``model-index``, by game; without results, it has the task and the environment alone."""
    metrics: dict[str, list[dict[str, Any]]] = {}
    for row, result in network.card["results"].items():
        if not row.endswith(NOT_BY_DEFAULT):
            opponent, _, game = row.partition(", ")
            metrics.setdefault(game or network.rules, []).extend(
                [
                    _metric("win_rate", f"win rate against {opponent}", result, "interval"),
                    _metric("margin", f"tricks a deal against {opponent}", result, "margin_interval"),
                ]
            )
    return {
        "name": network.name,
        "results": [
            {
                "task": {"type": TASK, "name": "reinforcement learning"},
                "dataset": {"type": ENVIRONMENT, "name": f"German Whist ({game})", "config": game},
                "metrics": measured,
            }
            for game, measured in (metrics or {network.rules: []}).items()
        ],
    }


def _metric(kind: str, name: str, result: dict[str, Any], interval: str) -> dict[str, Any]:
    """Return a measured value as ``mean +/- half of the interval``, the custom for reinforcement learning."""
    value, (low, high) = result[kind], result[interval] or (None, None)
    facts = {name: result[name] for name in ("deals", "seed", "endgame")}
    if low is None or high is None:
        return {"type": kind, "name": name, "value": f"{value:.3f}", "args": facts}
    facts |= {"confidence": 0.95, "low": round(low, 4), "high": round(high, 4)}
    return {"type": kind, "name": name, "value": f"{value:.3f} +/- {(high - low) / 2:.3f}", "args": facts}

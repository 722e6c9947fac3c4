"""Writes the model cards of the pretrained agents as a page of Markdown, for a model hub or the reference pages.

``python -m tools.model_cards`` prints the page for the Hugging Face Hub, which starts with YAML metadata: licence,
library, task, tags, and ``model-index`` with a result. As usual for reinforcement learning, the environment takes the
place of the data set.
"""

from __future__ import annotations

import hashlib
from typing import Any

import yaml

from german_whist.agents.pretrained import (
    BASELINE,
    BASELINE_GAME,
    FILE_SUFFIX,
    PretrainedNetwork,
    pretrained_networks,
    weights_folder,
    win_rate,
)
from tools.markdown import fenced, markdown_table

ENVIRONMENT = "GermanWhist-v0"  # its name in Gymnasium
TASK = "reinforcement-learning"
TAGS = (TASK, "german-whist", "card-game", "self-play", "imperfect-information", "pettingzoo", "gymnasium")
NOT_BY_DEFAULT = ", network to the end"  # suffix of results with other settings than the agent's default


def front_matter(networks: tuple[PretrainedNetwork, ...]) -> str:
    """Return the metadata of networks as YAML front matter, with their win rates against ``BASELINE``."""
    fields = {
        "license": "mit",
        "library_name": "german-whist",
        "pipeline_tag": TASK,
        "tags": list(TAGS),
        "model-index": [{"name": one.name, "results": [_result(one.model_card["results"])]} for one in networks],
    }
    text = yaml.safe_dump(fields, default_flow_style=None, sort_keys=False, allow_unicode=True, width=120)
    return f"---\n{text}---\n"


def _result(results: dict[str, Any]) -> dict[str, Any]:
    value = win_rate(results[BASELINE])
    return {
        "task": {"type": TASK, "name": "reinforcement learning"},
        "dataset": {"type": ENVIRONMENT, "name": f"German Whist ({BASELINE_GAME})", "config": BASELINE_GAME},
        "metrics": [{"type": "win_rate", "name": f"win rate against {BASELINE}", "value": value}],
    }


USUAL_DEALS = 10_000
ENDGAMES = "Both sides play endgames exactly; against `heuristic`, each plays its own."
INTRODUCTION = f"""# Pretrained agents

`champion`, the strongest network, and `small`, a fast one that imitates it, play every preset but `humbug`.

## Results

Games won (margin in tricks) over {USUAL_DEALS:,} mirrored deals unless stated, temperature 0; ± is the 95 % interval.
{ENDGAMES}
"""
TRAINING = """## Training

Self-play without bots, extended twice with a larger share of `classic`, finally in a league with its earliest
checkpoints. `small` is the run's `distilled.safetensors`.

```sh
german-whist train three-hours  # a run of the same kind, without the league
```
"""


def page() -> str:
    """Return the page as Markdown."""
    networks = pretrained_networks()
    names = [f"`{network.name}`" for network in networks]
    results = [network.model_card["results"] for network in networks]
    rows = []
    for row, result in results[0].items():
        if not row.endswith(NOT_BY_DEFAULT):
            fewer = "" if result["deals"] == USUAL_DEALS else f" ({result['deals']:,} deals)"
            cells = (f"{win_rate(each[row])} ({margin(each[row])})" for each in results)
            rows.append([against(row) + fewer, *cells])
    files = [weights_folder() / f"{network.name}{FILE_SUFFIX}" for network in networks]
    digests = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}" for file in files]
    facts = [*map(_facts, networks), _common(networks[0].model_card)]
    table = markdown_table(("against", *names), rows)
    checksums = f"SHA-256:\n\n{fenced('text', chr(10).join(digests))}"
    return "\n".join([INTRODUCTION, table, "", TRAINING, *facts, "", checksums])


def against(row: str) -> str:
    """Format a row's name, with the opponent as code: `` `heuristic`, network to the end``."""
    opponent, comma, rest = row.partition(", ")
    return f"`{opponent}`{comma}{rest}"


def _facts(network: PretrainedNetwork) -> str:
    """Return an item with a network's size and layers."""
    model_card = network.model_card
    layers = " → ".join(map(str, model_card["network"]["sizes"]))
    if shared := model_card["network"].get("suit_layers", 0):
        layers += f"; the suits share the weights of the first and last {shared} hidden layers"
    if value := model_card.get("value"):
        layers += f"; value network {' → '.join(map(str, value['sizes']))}, margin and chance to win"
    return f"- `{network.name}`, {network.size / 1000:.0f} kB: {layers}"


def _common(model_card: dict[str, Any]) -> str:
    """Return an item with the networks' outputs and training."""
    training, code = model_card["training"], model_card["training"]["code"]
    return (
        f"- both: logits are {model_card['logits_a_trick']:g} × the expected margin of an action in tricks, plus a "
        f"constant; {training['decisions']:,} decisions, seed {training['config']['seed']}, code {code['commit']}, "
        f"Python {code['python']}"
    )


def margin(result: dict[str, Any]) -> str:
    """Format a margin in tricks with the half-width of its interval: ``+1.23 ± 0.04``."""
    low, high = result["margin_interval"]
    spread = "" if low is None else f" ± {(high - low) / 2:.2f}"
    return f"{result['margin']:+z.2f}{spread}"


if __name__ == "__main__":
    print(f"{front_matter(pretrained_networks())}\n{page()}")

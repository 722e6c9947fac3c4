"""The model cards of the trained agents in the box, as a page.

Made by ``python -m german_whist.agents.pretrained.model_cards > agents/weights/README.md``.
"""

from __future__ import annotations

from typing import Any

from german_whist.agents.pretrained.catalog import PretrainedAgent, pretrained_agents
from german_whist.envs.engine.endgame_hook import SOLVED

COMMAND = "python -m german_whist.agents.pretrained.model_cards > agents/weights/README.md"
ENDGAMES = (
    "Endgame *exact*: both sides play it perfectly; *played*: each as it does by itself. *Network to the end* is the "
    "agent with `endgame=played`, whose network plays the endgame, too."
)


def page() -> str:
    """Return the page, Markdown."""
    lines = [
        "# Trained agents in the box",
        "",
        f"Written from the cards in the files: `{COMMAND}`. A test compares the two.",
        "",
        "Each file is a policy network in safetensors, which `gw.make_agent(NAME)` plays without any learning library.",
        "Win rates are games won on mirrored deals by its best card, ± is the 95 % interval, paired over deals.",
        ENDGAMES,
        "",
    ]
    for agent in pretrained_agents():
        lines += _card(agent)
    return "\n".join(lines).rstrip("\n") + "\n"


def win_rate(result: dict[str, Any]) -> str:
    """Return a win rate with half the width of its interval, as ``67.4 % ± 0.6``."""
    low, high = result["interval"] or (None, None)
    spread = "" if low is None else f" ± {50 * (high - low):.1f}"
    return f"{100 * result['win_rate']:.1f} %{spread}"


def margin(result: dict[str, Any]) -> str:
    """Return a margin in tricks with half the width of its interval, as ``+1.23 ± 0.04``."""
    low, high = result["margin_interval"]
    spread = "" if low is None else f" ± {(high - low) / 2:.2f}"
    return f"{result['margin']:+.2f}{spread}"


def against(row: str) -> str:
    """Return what a row of results is called, the opponent's name as code: ``"heuristic, network to the end"``."""
    opponent, comma, rest = row.partition(", ")
    return f"`{opponent}`{comma}{rest}"


def _card(agent: PretrainedAgent) -> list[str]:
    card, training = agent.card, agent.card["training"]
    config, code = training.get("config") or {}, training.get("code") or {}
    sizes = " → ".join(map(str, card["network"]["sizes"]))
    phases = card["network"].get("phases", [])
    later = f", another from {' and '.join(map(str, phases))} cards left in the stock on" if phases else ""
    facts = [f"- game: `{agent.rules}`", f"- network: {sizes}{later}, {agent.size / 1000:.0f} kB"]
    if card.get("logits_a_trick"):
        facts.append(f"- logits: {card['logits_a_trick']:g} × the worth of a card in tricks, up to a constant")
    facts.append(
        "- endgame: solved by itself; `endgame=played` leaves it to the network"
        if agent.endgame == SOLVED
        else "- endgame: played by the network"
    )
    said = [str(training.get("algorithm", "unknown"))]
    if "decisions" in training:
        said.append(f"{training['decisions']:,} decisions")
    if "seed" in config:
        said.append(f"seed {config['seed']}")
    facts.append(f"- training: {', '.join(said)}")
    if code:
        facts.append(f"- code: {code.get('commit') or code.get('german_whist')}, Python {code.get('python')}")
    lines = [f"## {agent.name}", "", *facts, ""]
    if training.get("commands"):
        lines += ["```", *training["commands"], "```", ""]
    if card["results"]:
        lines += ["| against | deals | endgame | games won | tricks a deal |", "| --- | --- | --- | --- | --- |"]
        for row, result in card["results"].items():
            cells = (against(row), f"{result['deals']:,}", result["endgame"], win_rate(result), margin(result))
            lines.append(f"| {' | '.join(cells)} |")
        lines.append("")
    lines += [line for result in card["results"].values() if "hands" in result for line in _apart(result)]
    return lines


def _apart(result: dict[str, Any]) -> list[str]:
    """Return a table of each seat and of hands by their quality, each with the games won."""
    rows = [(f"it {seat}", facts) for seat, facts in result["seats"].items()]
    rows += [(entry["hands"], entry["agent"]) for entry in result["hands"]]
    lines = ["| against `heuristic+exact` | games won | by `heuristic` with the same cards |", "| --- | --- | --- |"]
    beside = {entry["hands"]: _rate(entry["heuristic"]) for entry in result["hands"]}
    return [*lines, *(f"| {name} | {_rate(facts)} | {beside.get(name, '')} |" for name, facts in rows), ""]


def _rate(facts: dict[str, Any]) -> str:
    return "—" if facts["win_rate"] is None else win_rate(facts)


if __name__ == "__main__":
    print(page(), end="")

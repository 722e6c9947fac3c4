"""What can be played, by the names that people see: games with their scorings, agents by strength, and matches."""

from __future__ import annotations

import dataclasses
from functools import lru_cache
from typing import Any, NamedTuple

from german_whist.agents.pretrained import (
    BASELINE,
    BASELINE_GAME,
    CHAMPION,
    SMALL,
    pretrained_networks,
)
from german_whist.agents.registry import make_agent
from german_whist.envs.engine.match_format import FIRST_TO, MatchFormat, match_format_of
from german_whist.envs.engine.rules import Rules, rule_names
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.text.rules_text import preset_summary, rules_spec, rules_text
from german_whist.envs.utils.specs import percent_text
from german_whist.solver.exact_endgame import has_open_endgame

Entry = dict[str, Any]  # as the page reads it: table/page/game/types.js

TITLES = {
    "classic": "Classic",
    "small": "Small whist",
    "seventh": "From the seventh trick",
    "all": "Every trick counts",
    "small_all": "Small whist, every trick counts",
    "short": "Short",
    "draft": "Take or leave",
    "open_stock": "Two cards open",
    "no_trump": "No trumps",
    "high_low": "High and low",
    "race": "Race to seven",
    "race9": "Race to nine",
    "humbug": "Humbug",
    "tiny": "Tiny",
    "six_cards": "Six cards",
}


_SLAMS = {13: 10, 7: 5}  # by cards of a hand
_BOOKS = {14: 6}  # of small whist when every trick counts; elsewhere half of them
_TARGETS = (None, "first_to:10", "first_to:25", "first_to:50", "best_of:3", "best_of:5")


class Level(NamedTuple):
    """An agent to play against.

    Attributes:
        spec: its specification.
        title: its name for people.
        level: how hard it is.
        description: what it does.
        win_rate: share of classic deals that it wins against ``heuristic+exact``.
    """

    spec: str
    title: str
    level: str
    description: str
    win_rate: float


# From easy to hard. The figures are games won against heuristic+exact in classic, as for the pretrained agents:
# german-whist evaluate AGENT heuristic+exact --deals 2000
# ismcts: 200 deals with exact endgames.
LEVELS = (
    Level("random", "Random", "beginner", "plays any card", 0.043),
    Level("greedy", "Greedy", "easy", "wins a trick as cheaply as it can if it wants the prize", 0.262),
    Level("heuristic", "Textbook", "medium", "perfect memory and textbook strategy", 0.418),
    Level("heuristic+exact", "Textbook, perfect endgame", "hard", "textbook strategy, then a perfect endgame", 0.5),
    Level("ismcts:iterations=500", "Tree search", "expert", "grows a tree of play over 500 possible worlds", 0.6),
    Level("mc:worlds=60", "Monte Carlo", "expert", "tries every card in 60 worlds that it thinks possible", 0.625),
)
_OPEN_ENDGAME = ("ismcts",)  # levels that play only where both hands are known in the endgame
_NETWORKS = {SMALL: "expert", CHAMPION: "master"}  # levels of the pretrained agents, the strongest last
_NETWORK_TITLES = {SMALL: "Small network", CHAMPION: "Champion"}
SEARCH_WORLDS = 256  # of the hardest level: it answers within a second on one core
_SEARCH = ":search="
_SEARCH_WIN_RATE = 0.717  # of champion with a search, as the levels' but over 1,000 deals

# In classic, against champion, in per cent: python -m tools.coach_accuracy (docs/explanation/coach.md).
_ACCURACIES = {
    "random": 32.0,
    "greedy": 59.0,
    "heuristic": 76.7,
    "heuristic+exact": 85.6,
    "ismcts:iterations=500": 90.2,
    "mc:worlds=60": 92.4,
    SMALL: 95.7,
    CHAMPION: 98.8,
    f"{CHAMPION}{_SEARCH}{SEARCH_WORLDS}": 99.0,
}


@lru_cache
def rules_title(rules: str | Rules) -> str:
    """Return rules as a title for people."""
    spec = rules_spec(rules)
    return TITLES.get(spec, spec)


def match_title(match: MatchFormat | None) -> str:
    """Return a match as a title: ``First to 25``."""
    if match is None:
        return "No end"
    return f"First to {match.number}" if match.kind == FIRST_TO else f"Best of {match.number}"


def agent_title(spec: str) -> str:
    """Return an agent's name for people; its specification if it has none."""
    for level in LEVELS:
        if level.spec == spec:
            return level.title
    if spec in _NETWORK_TITLES:
        return _NETWORK_TITLES[spec]
    policy, search, _ = spec.partition(_SEARCH)
    title = agent_title(policy) if search else policy
    return spec if title == policy else f"{title} with search"


def search_of(policy: str, worlds: int = SEARCH_WORLDS) -> str:
    """Return the specification of a policy improved by search."""
    return f"{policy}{_SEARCH}{worlds}"


@lru_cache
def agents() -> tuple[Entry, ...]:
    """Return all agents that interfaces offer, from the easiest to the hardest."""
    found: list[Entry] = [
        {
            "spec": level.spec,
            "title": level.title,
            "level": level.level,
            "strength": {"classic": _strength_text(level.win_rate, "classic")},
            "accuracy": _ACCURACIES[level.spec],
            "description": level.description,
        }
        for level in LEVELS
    ]
    found += [
        {
            "spec": name,
            "title": agent_title(name),
            "level": level,
            "strength": _strength(name),
            "accuracy": _ACCURACIES[name],
            "description": "a trained network with a perfect endgame",
        }
        for name, level in _NETWORKS.items()
    ]
    found.append(
        {
            "spec": search_of(CHAMPION),
            "title": agent_title(search_of(CHAMPION)),
            "level": "hardest",
            "strength": {"classic": _strength_text(_SEARCH_WIN_RATE, "classic")},
            "accuracy": _ACCURACIES[search_of(CHAMPION)],
            "description": f"the same network, trying its cards in {SEARCH_WORLDS} worlds that fit your play",
        }
    )
    return tuple(found)


def _strength(name: str) -> dict[str, str]:
    """Return how strong a pretrained agent is in every game in which that was measured."""
    (network,) = (network for network in pretrained_networks() if network.name == name)
    results = {game: network.model_card["results"].get(f"{BASELINE}, {game}") for game in rule_names()}
    results[BASELINE_GAME] = network.model_card["results"].get(BASELINE)
    return {game: _strength_text(result["win_rate"], game) for game, result in results.items() if result}


def _strength_text(win_rate: float, rules: str) -> str:
    return f"{rules_title(rules)}: wins {percent_text(win_rate)} of deals against {agent_title(BASELINE)}"


@lru_cache
def networks_for(rules: Rules) -> tuple[str, ...]:
    """Return the networks to offer for a game, the strongest last."""
    return tuple(name for name in _NETWORKS if plays(name, rules))


def plays(spec: str, rules: Rules) -> bool:
    """Return whether an agent's network, if it has one, plays a game."""
    try:
        make_agent(spec, rules)
    except ValueError:
        return False
    return True


def agents_for(rules: Rules) -> list[str]:
    """Return the agents that interfaces offer for a game, from the easiest to the hardest."""
    is_open, hardest = has_open_endgame(rules), searcher(rules)
    levels = [level.spec for level in LEVELS if is_open or not level.spec.startswith(_OPEN_ENDGAME)]
    return [*levels, *networks_for(rules), *([] if hardest is None else [hardest])]


@lru_cache
def searcher(rules: Rules, worlds: int = SEARCH_WORLDS) -> str | None:
    """Return the strongest agent for a game: its strongest network, improved by search.

    ``None`` where hands stay hidden in the endgame.
    """
    network = strongest_network(rules) if has_open_endgame(rules) else None
    return None if network is None else search_of(network, worlds)


def strongest_network(rules: Rules) -> str | None:
    """Return the strongest pretrained agent for a game; ``None`` if there is none."""
    names = networks_for(rules)
    return names[-1] if names else None


def default_agent(rules: Rules) -> str:
    """Return the agent that interfaces propose for a game: the strongest network, else the last of ``LEVELS``."""
    return strongest_network(rules) or LEVELS[-1].spec


def matches() -> list[Entry]:
    """Return the matches that interfaces suggest."""
    formats = [None if target is None else match_format_of(target) for target in _TARGETS]
    return [{"match": None if one is None else str(one), "title": match_title(one)} for one in formats]


@lru_cache
def games() -> tuple[Entry, ...]:
    """Return all presets, with the scorings and the agents of each."""
    first = list(TITLES)
    names = sorted(rule_names(), key=lambda name: (first.index(name) if name in first else len(first), name))
    return tuple(_game(name) for name in names)


def _game(name: str) -> Entry:
    rules = rules_named(name)
    return {
        "id": name,
        "title": TITLES.get(name, name),
        "summary": preset_summary(name),
        "rules": rules_text(name),
        "hand": rules.hand,
        "stock": rules.stock,
        "cards": len(rules.cards),
        "choices": rules.has_choices,
        "scorings": _scorings(name, rules),
        "agents": agents_for(rules),
    }


def _scorings(name: str, rules: Rules) -> list[Entry]:
    """Return the scorings of a game, its own first; games with one scoring of their own have that alone."""
    own: Entry = {"id": "own", "title": _scoring_title(rules), "rules": name, "agents": agents_for(rules)}
    if rules.high_low or rules.race or rules.humbug:
        return [own]
    found = [own]
    for counts in ("endgame", "all"):
        for points in ("difference", "over_book"):
            book, slam = _over_book(rules, counts) if points == "over_book" else (None, 0)
            changed = dataclasses.replace(rules, counts=counts, points=points, book=book, slam=slam)
            if all(rules_named(one["rules"]).game.tolist() != changed.game.tolist() for one in found):
                found.append(
                    {
                        "id": f"{counts}_{points}",
                        "title": _scoring_title(changed),
                        "rules": rules_spec(changed),
                        "agents": agents_for(changed),
                    }
                )
    return found


def _over_book(rules: Rules, counts: str) -> tuple[int, int]:
    """Return book and slam of ``over_book``: half the counted tricks, and the bonus where the game has one."""
    if counts == "endgame":
        return rules.hand // 2, _SLAMS.get(rules.hand, 0)
    return _BOOKS.get(rules.tricks, rules.tricks // 2), 0


def _scoring_title(rules: Rules) -> str:
    which = f"Last {rules.hand} tricks" if rules.counts == "endgame" and rules.stock else "Every trick"
    if rules.points == "difference":
        return f"{which}, difference"
    if rules.points == "over_half":
        return f"{which}, over half"
    book = int(rules.game["book"][0])
    return f"{which}, over {book}{f', {rules.slam} for all' if rules.slam else ''}"

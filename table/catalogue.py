"""The catalogue of the page, under the names that people see: games with their scorings, and agents by strength."""

from __future__ import annotations

import dataclasses
import json
from functools import lru_cache
from importlib import resources
from typing import Any, NamedTuple

from german_whist.agents.pretrained import BASELINE, BASELINE_GAME, CHAMPION, SMALL, pretrained_networks
from german_whist.game.rules import Rules, rule_names
from german_whist.game.rules import rules as get_rules
from german_whist.simulator.text.rules_text import preset_summary, rules_spec
from german_whist.simulator.text.words import percent_text
from german_whist.solver.exact_endgame import can_solve_endgame

Entry = dict[str, Any]  # table/page/game/types.js describes it

TITLES = {  # display names of the games, in the order in which they are offered
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
LESSON = "classic:ranks=4,hand=4,stock=8"  # the rules of the lesson: table/page/game/lesson.js
_SLAMS = {13: 10, 7: 5}  # keys: number of cards in a hand
_BOOKS = {14: 6}  # keys: number of tricks; small whist when every trick counts; elsewhere half the tricks


class Level(NamedTuple):
    """An agent to play against.

    Attributes:
        spec: its specification.
        title: its display name.
        level: its difficulty.
        description: one line.
    """

    spec: str
    title: str
    level: str
    description: str


_MONTE_CARLO = "tries every card in 60 worlds that it thinks possible"
_NETWORK = "a trained network with a perfect endgame"
_SEARCH = "the same network, trying its cards in 256 worlds that fit your play"  # within a second on one core

# From easy to hard.
LEVELS = (
    Level("random", "Random", "beginner", "plays any card"),
    Level("greedy", "Greedy", "easy", "wins a trick as cheaply as it can if it wants the prize"),
    Level("heuristic", "Textbook", "medium", "perfect memory and textbook strategy"),
    Level(BASELINE, "Textbook, perfect endgame", "hard", "textbook strategy, then a perfect endgame"),
    Level("ismcts:iterations=500", "Tree search", "expert", "grows a tree of play over 500 possible worlds"),
    Level("mc:worlds=60", "Monte Carlo", "expert", _MONTE_CARLO),
    Level(SMALL, "Small network", "expert", _NETWORK),
    Level(CHAMPION, "Champion", "master", _NETWORK),
    Level(f"{CHAMPION}:search=256", "Champion with search", "hardest", _SEARCH),
)
_ANYWHERE = ("random", "greedy", "heuristic", BASELINE, "mc:worlds=60")  # also for games without an open endgame


def rules_title(rules: str | Rules) -> str:
    """Return the display name of rules; their specification if they have none."""
    spec = rules_spec(rules)
    return _titles().get(spec, spec)


@lru_cache
def _titles() -> dict[str, str]:
    """Return the display names of games, of their other scorings and of the lesson, by specification."""
    scorings = ((game["title"], one) for game in reversed(games()) for one in game["scorings"][1:])
    return {**{one["rules"]: f"{game}: {one['title']}" for game, one in scorings}, **TITLES, LESSON: "Lesson"}


@lru_cache
def strengths() -> dict[str, dict[str, float]]:
    """Return what was measured of each agent, by specification.

    ``accuracy``: in per cent, as the coach rates it in classic against ``champion``; ``page_accuracy``: as the page's
    own coach does; ``win_rate``: share of classic games won against ``heuristic+exact``, unless a model card has it.
    ``tools/coach_accuracy.py`` and ``tools/page_accuracy.mjs`` write them.
    """
    found: dict[str, dict[str, float]] = json.loads(
        (resources.files("german_whist.table") / "strengths.json").read_text(encoding="utf-8")
    )
    return found


@lru_cache
def agents() -> tuple[Entry, ...]:
    """Return all agents that the page offers, easiest first."""
    cards = {network.name: network.model_card["results"] for network in pretrained_networks()}
    return tuple(
        {
            "spec": level.spec,
            "title": level.title,
            "level": level.level,
            "strength": _strength(cards[level.spec]) if level.spec in cards else _strength_of(figures["win_rate"]),
            "accuracy": figures["accuracy"],
            "description": level.description,
        }
        for level in LEVELS
        for figures in (strengths()[level.spec],)
    )


def specs() -> tuple[str, ...]:
    """Return the specifications of all agents that the page offers, easiest first."""
    return tuple(level.spec for level in LEVELS)


def _strength(results: dict[str, Any]) -> dict[str, str]:
    """Return the strength of a pretrained agent, in words, in every game in which it was measured."""
    measured = {game: results.get(f"{BASELINE}, {game}") for game in rule_names()}
    measured[BASELINE_GAME] = results.get(BASELINE)
    found = (_strength_of(result["win_rate"], game) for game, result in measured.items() if result)
    return {game: text for strength in found for game, text in strength.items()}


def _strength_of(win_rate: float, game: str = BASELINE_GAME) -> dict[str, str]:
    (baseline,) = (level.title for level in LEVELS if level.spec == BASELINE)
    return {game: f"{rules_title(game)}: wins {percent_text(win_rate)} of deals against {baseline}"}


def agents_for(rules: Rules) -> list[str]:
    """Return the agents that the page offers for a game, easiest first."""
    return [level.spec for level in LEVELS if can_solve_endgame(rules) or level.spec in _ANYWHERE]


def default_agent(rules: Rules) -> str:
    """Return the agent that the page suggests for a game: the strongest that answers at once."""
    return CHAMPION if can_solve_endgame(rules) else agents_for(rules)[-1]


@lru_cache
def games() -> tuple[Entry, ...]:
    """Return all presets, with the scorings and the agents of each."""
    names = [*TITLES, *(name for name in rule_names() if name not in TITLES)]
    return tuple(
        {
            "id": name,
            "title": TITLES.get(name, name),
            "summary": preset_summary(name),
            "scorings": _scorings(name, get_rules(name)),
            "agents": agents_for(get_rules(name)),
        }
        for name in names
    )


def unlisted(spec: str) -> Entry:
    """Return a game that is no preset, as ``games`` lists them."""
    scorings = [{"title": spec, "rules": spec}]
    return {"id": spec, "title": spec, "summary": "", "scorings": scorings, "agents": agents_for(get_rules(spec))}


def _scorings(name: str, rules: Rules) -> list[Entry]:
    """Return the scorings of a game, its own first; high-low games, races and humbug have only their own."""
    found: list[Entry] = [{"title": _scoring_title(rules), "rules": name}]
    if rules.high_low or rules.race or rules.humbug:
        return found
    for counts in ("endgame", "all"):
        for points in ("difference", "over_book"):
            book, slam = _over_book(rules, counts) if points == "over_book" else (None, 0)
            changed = dataclasses.replace(rules, counts=counts, points=points, book=book, slam=slam)
            if all(get_rules(one["rules"]).record.tolist() != changed.record.tolist() for one in found):
                found.append({"title": _scoring_title(changed), "rules": rules_spec(changed)})
    return found


def _over_book(rules: Rules, counts: str) -> tuple[int, int]:
    """Return book and slam for ``over_book``: half the counted tricks, and the bonus if the game has one."""
    if counts == "endgame":
        return rules.hand // 2, _SLAMS.get(rules.hand, 0)
    return _BOOKS.get(rules.tricks, rules.tricks // 2), 0


def _scoring_title(rules: Rules) -> str:
    which = f"Last {rules.hand} tricks" if rules.counts == "endgame" and rules.stock else "Every trick"
    if rules.points == "difference":
        return f"{which}, difference"
    if rules.points == "over_half":
        return f"{which}, over half"
    book = int(rules.record["book"][0])
    return f"{which}, over {book}{f', {rules.slam} for all' if rules.slam else ''}"

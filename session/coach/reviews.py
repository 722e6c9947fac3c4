"""Reviews of finished deals: every decision judged by what its seat could know, and the cards that lay hidden.

Accuracy follows the formula that Lichess uses for chess (https://lichess.org/page/accuracy): a decision that lowers the
chance to win by d percentage points is ``103.1668 exp(-0.04354 d) - 3.1669`` per cent accurate.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from german_whist.envs.agent import Agent
from german_whist.envs.engine.actions import action_text
from german_whist.envs.engine.rules import Rules
from german_whist.session import schema
from german_whist.session.catalogue import agent_title, strongest_network
from german_whist.session.coach.advice import Advice, advise
from german_whist.session.coach.hints import options
from german_whist.session.coach.reasons import reason
from german_whist.session.deal.events import move_texts
from german_whist.session.deal.position import (
    SIDES,
    card_texts,
    high_to_low,
    led_card,
    result,
    side_of,
    side_or_nobody,
    trump_of,
)
from german_whist.session.deal.table_deal import TableDeal
from german_whist.session.deal.words import action_name, counted_tricks
from german_whist.session.opponent import agent_named, play_action

WORLDS = 128  # a review takes a few seconds on one core
MISTAKES = 3
LUCK_AGENT = "heuristic+exact"  # plays the cards where no network does

_SMALLEST_WIN_COST = 0.005  # of a mistake


def review(
    deal: TableDeal,
    seat: int,
    names: tuple[str, str],
    worlds: int = WORLDS,
    seed: int = 0,
    judge: Agent | None = None,
) -> schema.DealReview:
    """Return the review of a finished deal.

    Args:
        deal: the deal.
        seat: the seat that is ``you``.
        names: names of the players by seat.
        worlds: number of worlds sampled for each decision.
        seed: seed of the sampling.
        judge: what judges the actions before the endgame; by default the strongest for the game.
    """
    found: list[Advice] = []
    views: Any = ()
    if deal.actions:
        views, histories = deal.decisions()
        found = advise(views, deal.rules, worlds, seed, histories, judge)
    texts = move_texts(deal, names)
    moves = [_move(deal, step, views[step], found[step], seat, texts[step]) for step in range(len(deal.actions))]
    return {
        "seat": seat,
        "trump": trump_of(deal.state),
        "low": bool(deal.state["low"]),
        "names": {"you": names[seat], "opponent": names[1 - seat]},
        "result": result(deal, seat, names),
        "accuracy": {side: _accuracy(moves, side) for side in SIDES},
        "cost": {side: round(sum(move["cost"] for move in moves if move["by"] == side), 3) for side in SIDES},
        "luck": luck(deal, seat),
        "win_curve": _win_curve(deal, seat, found),
        "moves": moves,
        "mistakes": _mistakes(moves),
        "positions": open_positions(deal, seat),
    }


def luck(deal: TableDeal, seat: int) -> int:
    """Return what the cards were worth to a seat: its margin when the strongest agent plays both hands."""
    agent = strongest_agent(deal.rules)
    played = play_out(TableDeal(deal.rules, deal.deck, deal.dealer), (agent, agent))
    margin = played.result().margin
    return margin if seat == 0 else -margin


def strongest_agent(rules: Rules) -> Agent:
    """Return the strongest agent that answers at once: the strongest network, else a rule bot."""
    return agent_named(strongest_network(rules) or LUCK_AGENT, rules)


def play_out(deal: TableDeal, agents: tuple[Agent, Agent], seed: int = 0, index: int = 0) -> TableDeal:
    """Let agents, by seat, play a deal to its end and return it."""
    while not deal.done:
        play_action(agents[deal.turn], deal, seed, index)
    return deal


def open_positions(deal: TableDeal, seat: int) -> list[schema.OpenPosition]:
    """Return every position of a deal, all cards open: before the first move, then after each."""
    past = TableDeal(deal.rules, deal.deck, deal.dealer)
    found = [_open_position(past, seat)]
    for action in deal.actions:
        past.play(action)
        found.append(_open_position(past, seat))
    return found


def _open_position(deal: TableDeal, seat: int) -> schema.OpenPosition:
    hands, tricks, counted = (
        deal.state["hands"],
        deal.state["tricks"].sum(axis=0),
        counted_tricks(deal.state, deal.rules),
    )
    face_down = [] if deal.rules.humbug else deal.deck[int(deal.state["top"]) :]
    return {
        "you": high_to_low(int(hands[seat])),
        "opponent": high_to_low(int(hands[1 - seat])),
        "face_up": high_to_low(int(deal.state["face_up"])),
        "stock": card_texts(face_down),
        "led": led_card(deal, seat),
        "turn": side_or_nobody(deal.turn, seat),
        "tricks": {"you": int(tricks[seat]), "opponent": int(tricks[1 - seat])},
        "score": {"you": counted[seat], "opponent": counted[1 - seat]},
    }


def _move(deal: TableDeal, step: int, view: Any, advice: Advice, seat: int, text: str) -> schema.Move:
    rules, action = deal.rules, deal.actions[step]
    cost, win_cost = advice.cost(action)
    taken = int(view["tricks_self"].sum() + view["tricks_opponent"].sum())
    # An action that is as good as the best one is not criticised.
    best = action if advice.is_best(action) else advice.actions[0]
    return {
        "number": step + 1,
        "trick": taken if view["choice"] and taken else taken + 1,
        "stage": "foreplay" if view["stock"] else "endgame",
        "by": side_of(deal.actor(step), seat),
        "action": action_text(action, rules),
        "name": action_name(action, rules),
        "text": text,
        "best": action_text(best, rules),
        "best_name": action_name(best, rules),
        "cost": round(cost, 3),
        "win_cost": round(win_cost, 3),
        "exact": advice.exact,
        "judge": advice.judge,
        "judge_title": agent_title(advice.judge),
        "reason": reason(view, rules, advice),
        "options": options(advice, rules),
    }


def _accuracy(moves: Sequence[schema.Move], side: schema.Side) -> float | None:
    """Return the mean accuracy of the decisions in which a side had a choice, in per cent."""
    costs = [move["win_cost"] for move in moves if move["by"] == side and len(move["options"]) > 1]
    if not costs:
        return None
    accuracies = [min(100.0, max(0.0, 103.1668 * math.exp(-4.354 * cost) - 3.1669)) for cost in costs]
    return round(sum(accuracies) / len(accuracies), 1)


def _mistakes(moves: Sequence[schema.Move]) -> list[int]:
    """Return the numbers of your biggest mistakes: those that cost most chance to win, then most tricks."""
    worse = [move for move in moves if move["by"] == "you" and move["best"] != move["action"]]
    worse = [move for move in worse if move["win_cost"] >= _SMALLEST_WIN_COST or move["cost"]]
    worse.sort(key=lambda move: (-move["win_cost"], -move["cost"], move["number"]))
    return [move["number"] for move in worse[:MISTAKES]]


def _win_curve(deal: TableDeal, seat: int, found: Sequence[Advice]) -> list[float]:
    """Return a seat's chance to win by what it knew: before the first move, then after each."""
    own = [step for step in range(len(deal.actions)) if deal.actor(step) == seat]
    now = found[own[0]].wins[0] if own else 0.5
    curve = [now]
    for step, action in enumerate(deal.actions):
        if deal.actor(step) == seat:
            now = found[step].wins[found[step].actions.index(action)]
        following = step + 1
        if following < len(deal.actions) and deal.actor(following) == seat:
            now = found[following].wins[0]  # what has been seen since is in it
        curve.append(now)
    margin = deal.result().margin * (1 if seat == 0 else -1)
    curve[-1] = (np.sign(margin) + 1) / 2
    return [round(float(chance), 3) for chance in curve]

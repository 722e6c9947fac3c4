"""Reviews of finished deals: every decision judged by what its seat could know, and the cards that lay hidden."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from german_whist.agents.endgame.open_hands import opponent_hand_known
from german_whist.agents.judge import WORLDS, Advice, Label, accuracy_of, advise, at_stake, judge_action
from german_whist.envs.agent import Agent
from german_whist.envs.engine.actions import action_text
from german_whist.envs.engine.rules import Rules
from german_whist.envs.text.events import counted_tricks
from german_whist.envs.text.scene import YOU
from german_whist.envs.text.words import action_name
from german_whist.session import schema
from german_whist.session.catalogue import agent_title, plays_like, strongest_network
from german_whist.session.coach.hints import options
from german_whist.session.coach.reasons import reason
from german_whist.session.deal.events import action_events, move_texts
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
from german_whist.session.opponent import agent_named, play_action

MISTAKES = SWINGS = 3  # at most
PERFECT_ENDGAME = "heuristic+exact"  # plays the cards where no network does

_SMALLEST_SWING = 0.08


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
    given_away = _by_side(moves, [move["tricks_given_away"] for move in moves])
    stakes = _by_side(moves, [at_stake(advice) for advice in found])
    accuracies = {side: accuracy_of(given_away[side], stakes[side]) for side in SIDES}
    return {
        "seat": seat,
        "trump": trump_of(deal.state),
        "low": bool(deal.state["low"]),
        "names": {"you": names[seat], "opponent": names[1 - seat]},
        "result": result(deal, seat, names),
        "accuracy": accuracies,
        "plays_like": {side: plays_like(accuracies[side], deal.rules) for side in SIDES},
        "tricks_given_away": given_away,
        "tricks_at_stake": stakes,
        "par": result(par(deal), seat, names),
        "win_curve": _win_curve(deal, seat, found),
        "swings": _swings(deal, seat, found, names, moves),
        "moves": moves,
        "mistakes": _mistakes(moves),
        "positions": open_positions(deal, seat),
    }


def par(deal: TableDeal) -> TableDeal:
    """Return the same deal, played from both hands by the strongest agent that answers at once."""
    agent = strongest_agent(deal.rules)
    return play_out(TableDeal(deal.rules, deal.deck, deal.dealer), (agent, agent))


def strongest_agent(rules: Rules) -> Agent:
    """Return the strongest agent that answers at once: the strongest network, else a rule bot."""
    return agent_named(strongest_network(rules) or PERFECT_ENDGAME, rules)


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
        counted_tricks(deal.state["tricks"], deal.rules),
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
    judged = judge_action(advice, action)
    taken = int(view["tricks_self"].sum() + view["tricks_opponent"].sum())
    best = advice.actions[0] if judged.is_criticised else action
    line = best_line(deal, step).actions[step:] if judged.is_criticised and advice.exact else []
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
        "label": judged.label,
        "tricks_given_away": round(judged.tricks, 3),
        "win_given_away": round(judged.win, 3),
        "exact": advice.exact,
        "judge": advice.judge,
        "judge_title": agent_title(advice.judge),
        "reason": reason(view, rules, advice),
        "options": options(advice, rules),
        "line": [action_text(one, rules) for one in line],
    }


def best_line(deal: TableDeal, step: int) -> TableDeal:
    """Return the same deal with perfect play by both seats from action ``step`` on, counted from 0.

    Raises:
        ValueError: if the seat that chose it did not know the opponent's hand.
    """
    past = TableDeal(deal.rules, deal.deck, deal.dealer, deal.actions[: max(step, 0)])
    if not 0 <= step < len(deal.actions) or not opponent_hand_known(past.views(past.turn))[0]:
        raise ValueError(f"move {step + 1} is not one at which both hands are known")
    past.play(advise(past.views(past.turn), deal.rules)[0].actions[0])
    agent = agent_named(PERFECT_ENDGAME, deal.rules)
    return play_out(past, (agent, agent))


def _by_side(moves: Sequence[schema.Move], tricks: Sequence[float]) -> dict[schema.Side, float]:
    """Return the sum over the moves of each side."""
    pairs = list(zip(moves, tricks, strict=True))
    return {side: round(sum(number for move, number in pairs if move["by"] == side), 3) for side in SIDES}


def _mistakes(moves: Sequence[schema.Move]) -> list[int]:
    """Return the numbers of your biggest mistakes: those that cost most chance to win, then most tricks."""
    worse = [move for move in moves if move["by"] == "you" and move["best"] != move["action"]]
    worse.sort(key=lambda move: (-move["win_given_away"], -move["tricks_given_away"], move["number"]))
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


def _swings(
    deal: TableDeal, seat: int, found: Sequence[Advice], names: tuple[str, str], moves: Sequence[schema.Move]
) -> list[schema.Swing]:
    """Return the largest changes of a seat's chance to win between its action and its next decision."""
    own = [step for step in range(len(deal.actions)) if deal.actor(step) == seat]
    swings: list[schema.Swing] = []
    for step, following in pairwise(own):
        change = found[following].wins[0] - found[step].wins[found[step].actions.index(deal.actions[step])]
        news = _news(deal, moves[step:following], seat, names)
        if abs(change) >= _SMALLEST_SWING and news:  # without news it is noise
            swings.append({"move": following, "change": round(change, 3), "text": _news_text(news, names[1 - seat])})
    swings.sort(key=lambda swing: -abs(swing["change"]))
    return sorted(swings[:SWINGS], key=lambda swing: swing["move"])


def _news(deal: TableDeal, moves: Sequence[schema.Move], seat: int, names: tuple[str, str]) -> list[str]:
    """Return what a seat learnt from some moves, the first of which is its own."""
    theirs = ("play", "leave", "take", "keep", "swap") if deal.rules.has_choices else ("play",)
    news = []
    for move in moves:
        for event in action_events(deal, move["number"] - 1, seat, names):
            text = event.text.rstrip(".")
            if event.kind == "endgame":
                news.append("The stock is gone" if deal.rules.humbug else "The stock is gone, and both hands are known")
            elif event.seat is not None and event.seat != seat and event.kind in theirs:
                news.append(text if move["best"] == move["action"] else f"{text} ({_article(move['label'])})")
            elif (event.seat == seat and event.kind in ("draw", "swap")) or event.kind == "turn_up":
                news.append(text)
    return news


def _news_text(news: list[str], opponent: str) -> str:
    """Return news as one sentence, in which the opponent is named once in a row."""
    parts = news[:1]
    for before, text in pairwise(news):
        again = before.startswith(opponent) and text.startswith(opponent)
        part = text.removeprefix(opponent).strip() if again else text
        parts.append(part[0].lower() + part[1:] if part.startswith(("The ", YOU)) else part)
    return f"{'; '.join(parts)}."


def _article(label: Label) -> str:
    return f"an {label}" if label == "inaccuracy" else f"a {label}"

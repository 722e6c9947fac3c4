"""The page's coach says what Python's says where both have the same judge: the solver, and a network."""

from __future__ import annotations

import json
import math
import re
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from german_whist.agents.asking import play
from german_whist.agents.inference.suit_lengths import suit_lengths
from german_whist.agents.judge import Advice, advise, judge_action
from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.pretrained import rounded_network
from german_whist.agents.registry import make_agent
from german_whist.evaluation.recording import DealResult, Recording
from german_whist.game.actions import action_text
from german_whist.game.cards import card_text, cards_of, deck_text, parse_card
from german_whist.game.rules import Rules, rules
from german_whist.simulator.episode import Episode
from german_whist.table.page_data import game_records, write_data
from tests.presets import PRESETS
from tests.table.node import needs_node

PROGRAM = Path(__file__).parent / "coach.mjs"
JUDGES = ("champion", "champion", "small")  # judges of the deals of each game
OPEN_RACES = ("race9:counts=endgame", "race:race=16")  # nobody may win them


def played(game: str, index: int) -> Recording:
    """A deal of the textbook bot against one that plays any card."""
    deal = Episode(game, history=True)
    deal.reset(options={"deal": (11, index)})
    bots = make_agent("heuristic", deal.rules), make_agent("random", deal.rules)
    for _ in play(deal, bots):
        pass
    deck = tuple(deal.batch.states["deck"][0, : len(deal.rules.cards)].tolist())
    return Recording(deal.rules, index % 2, ("a", "b"), deal.actions, DealResult.create(deal.batch), deck=deck)


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], list[Any]]:
    """Return what the page's coach says of every decision of a game's deals."""
    folder = tmp_path_factory.mktemp("data")
    write_data(folder)
    data = json.loads((folder / "data.json").read_text())
    data["rules"] += game_records({spec: rules(spec) for spec in OPEN_RACES})["rules"]  # `serve --rules` offers them so
    (folder / "data.json").write_text(json.dumps(data))

    @cache
    def answered(game: str) -> list[Any]:
        lines = []
        for index, judge in enumerate(JUDGES):
            deal = played(game, index)
            words = [action_text(action, deal.rules) for action in deal.actions]
            about = {"rules": game, "deck": deck_text(deal.deck or ()), "dealer": index % 2, "judge": judge}
            lines.append(json.dumps({**about, "actions": words, "steps": list(range(len(words)))}))
        command = ["node", str(PROGRAM), str(folder)]
        done = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return [*map(json.loads, done.stdout.splitlines())]

    return answered


@needs_node
@pytest.mark.parametrize("game", [*PRESETS, *OPEN_RACES])
def test_the_page_judges_as_python_does(game: str, answers: Callable[[str], list[Any]]) -> None:
    for index, name in enumerate(JUDGES):
        deal = played(game, index)
        decisions, _ = deal.decisions()
        views = decisions.views
        judge: PolicyAgent | str | None = None if deal.rules.humbug else "network"
        if name == "small" and not deal.rules.humbug:
            judge = PolicyAgent(rounded_network(name), name=name, rules=deal.rules)
        found = advise(decisions, 4, judge=judge)
        for view, advice, action, page in zip(views, found, deal.actions, answers(game)[index], strict=True):
            check(advice, action, deal.rules, page)
            if view["led"] >= 0 and advice.judge == "rollouts":  # who follows sees whether a card wins
                wins = dict(zip(advice.actions, advice.trick, strict=True))
                assert page["trick"] == [wins[parse_card(word)] for word in page["actions"]]
        hidden = [row for row, advice in enumerate(found) if not advice.exact]
        known = suit_lengths(views[hidden], deal.rules)
        for place, row in enumerate(hidden):
            expected, void = answers(game)[index][row]["belief"]
            assert expected == pytest.approx(list(known.expected[place]), abs=1e-9)
            assert void == pytest.approx(list(known.void[place]), abs=1e-9)


@needs_node
@pytest.mark.parametrize("game", PRESETS)
def test_hints_name_the_lowest_of_equal_cards_in_one_or_two_sentences(
    game: str, answers: Callable[[str], list[Any]]
) -> None:
    for index, _ in enumerate(JUDGES):
        views = played(game, index).decisions()[0].views
        for view, page in zip(views, answers(game)[index], strict=True):
            alive = sum(int(view[name]) for name in ("unseen", "opponent_known", "face_up"))
            alive |= 1 << int(view["led"]) if view["led"] >= 0 else 0
            best = page["actions"][0]
            if not view["choice"]:
                best = card_text(equals(int(view["legal"]), alive, parse_card(best))[0])
            assert page["hinted"] == best
            assert len(re.findall(r"\. ", f"{page['reason']} ")) <= 2
            assert "Win this trick" not in page["reason"]


def equals(legal: int, alive: int, card: int) -> list[int]:
    """Return the legal cards of a suit between which and `card` no card can still be played, the lowest first."""
    suit = [one for one in cards_of(legal) if one // 13 == card // 13]
    return [one for one in suit if not any(alive >> other & 1 for other in range(min(one, card), max(one, card)))]


def check(advice: Advice, action: int, rules: Rules, page: dict[str, Any]) -> None:
    """Compare what both say of a decision: all of it where it is exact, elsewhere what the network alone says."""
    assert page["exact"] == advice.exact
    actions = [action_text(one, rules) for one in advice.actions]
    assert sorted(page["actions"]) == sorted(actions)
    assert page["judge"] == advice.judge
    if page["judge"] == "rollouts":  # its worlds are others
        return
    assert page["actions"][0] == actions[0]
    if not rules.race or advice.exact:  # there, tricks depend on the chance to win, which comes from rollouts
        lost = dict(zip(actions, advice.lost, strict=True))
        assert dict(zip(page["actions"], page["lost"], strict=True)) == pytest.approx(lost, abs=1e-5)
    if advice.judge == "network" or advice.exact:  # the same worlds, to the last bit
        assert page["actions"] == actions
        for column, values in (
            ("tricks", advice.tricks),
            ("opponentTricks", advice.opponent_tricks),
            ("lost", advice.lost),
            ("wins", advice.wins),
            ("winErrors", advice.win_errors),
            ("lostErrors", advice.lost_errors),
        ):
            assert page[column] == list(values), column
        assert page["trick"] == [None if math.isnan(chance) else chance for chance in advice.trick]
        judged = judge_action(advice, action)
        assert page["judged"] == {"label": judged.label, "tricks": judged.tricks, "win": judged.win}

"""``german-whist explain``."""

from __future__ import annotations

import json
import re
from pathlib import Path

import german_whist as gw
from german_whist.envs.engine.cards import card_text, deck_text
from tests.agents.networks import some_network, valued_network
from tests.cli.commands import Run


def test_every_move_has_probabilities_belief_and_the_heuristic_card(run: Run) -> None:
    words = ("explain", "small", "--rules", "small", "--deal", "7:3", "--against", "heuristic", "--worlds", "3")
    completed, report = run(*words), json.loads(run(*words, "--json").out)
    assert (completed.code, completed.err) == (0, "")
    head, legend, *blocks, end = completed.out.strip().split("\n\n")
    assert head.startswith("small (player_0) and heuristic (player_1), small, deal 3 of seed 7")
    assert max(len(line) for line in legend.splitlines()) <= 80
    assert re.fullmatch(r"(small|heuristic) \(player_[01]\) wins \d to \d: \d points?\.", end)
    assert len(blocks) == len(report["moves"]) == 14
    for block, move in zip(blocks, report["moves"], strict=True):
        assert block.startswith(f"move {move['number']}: trick {move['trick']}, small (player_0)")
        lines = {line[:12].strip(): line[12:] for line in block.splitlines()[1:]}
        assert lines["hand"].startswith("♠ ")
        assert f"♠ {move['expected']['S']:.1f} ({100 * move['void']['S']:.0f} %)" in lines["opponent"]
        same = move["heuristic_action"] == move["action"]
        assert (lines["heuristic"] == "the same") == same
    assert report["deal"] == [7, 3]
    assert report["agents"] == ["small", "heuristic"]
    assert any(move["options"][0]["advantage"] == 0 for move in report["moves"])
    for move in report["moves"]:  # the network plays while cards are hidden, the solver from there
        shown = [name for name in ("probability", "exact") if move["options"][0][name] is not None]
        assert shown == (["probability"] if move["stock"] else ["exact"])


def test_a_deal_given_by_its_cards_is_the_one_that_was_recorded(run: Run, here: Path) -> None:
    deal = gw.DealBatch("tiny", 1, 7, 2)  # dealt by seat 0
    cards = deck_text(deal.states["deck"][0, : len(deal.rules.cards)].tolist())
    words = ("explain", "heuristic", "--rules", "tiny", "--worlds", "0")
    by_address = json.loads(run(*words, "--deal", "7:2", "--json").out)
    by_cards = json.loads(run(*words, "--deck", cards, "--json").out)
    assert by_address.pop("deal") == [7, 2]
    assert by_cards.pop("deal") is None
    assert by_cards == by_address
    assert "tiny, a custom deck, " in run(*words, "--deck", cards.lower()).out


def test_it_plays_the_agents_own_game_and_both_seats_by_default(run: Run, tmp_path: Path) -> None:
    some_network(game="all").save(tmp_path / "mine.safetensors")
    report = json.loads(run("explain", f"checkpoint:{tmp_path / 'mine.safetensors'}", "--worlds", "0", "--json").out)
    assert report["rules"] == gw.rules("all").to_dict()
    assert [move["seat"] for move in report["moves"][:3]] in ([0, 1, 0], [0, 1, 1], [1, 0, 0], [1, 0, 1])
    assert len(report["moves"]) == 52


def test_the_other_seat_can_be_explained(run: Run) -> None:
    words = ("explain", "heuristic", "--against", "random", "--rules", "tiny", "--seat", "1", "--worlds", "0")
    report = json.loads(run(*words, "--json").out)
    assert report["agents"] == ["random", "heuristic"]
    assert {move["seat"] for move in report["moves"]} == {1}
    assert all(move["heuristic_action"] == move["action"] for move in report["moves"])


def test_a_rule_bot_is_explained_without_a_network(run: Run) -> None:
    completed = run("explain", "greedy", "--rules", "draft", "--worlds", "2")
    assert completed.code == 0
    moves = completed.out.partition("\n\n")[2].partition("\n\n")[2]
    assert "probability" not in moves
    assert "rollouts" in moves
    assert "take" in moves
    assert card_text(0) not in "".join(completed.out.splitlines()[:1])


def test_a_network_with_a_value_says_what_it_expects(run: Run) -> None:
    valued_network("tiny").save("valued.safetensors")
    words = ("explain", "checkpoint:valued.safetensors,endgame=exact", "--worlds", "0")
    shown, report = run(*words).out, json.loads(run(*words, "--json").out)
    for move in report["moves"]:
        assert f"  expects   margin {move['expected_margin']:+.2f}, wins {move['win_chance']:.0%}\n" in shown
    assert "margin and winning chance before the move" in shown

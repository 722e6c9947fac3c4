"""The game passes OpenSpiel's own checks, pays what the engine pays, and takes the rules as parameters."""

from __future__ import annotations

import numpy as np
import pytest

from tests.presets import PRESETS

pyspiel = pytest.importorskip("pyspiel")

import german_whist.openspiel as gw_openspiel
from german_whist.game.rules import rule_names, rules
from german_whist.game.scoring import REWARDS
from german_whist.simulator.batch import DealBatch
from tests.players import play_randomly


def recorded(game: str, deals: int, seed: int = 5) -> tuple[DealBatch, list[list[int]], list[list[int]]]:
    """Finished deals of random play with their decks and actions."""
    batch = DealBatch(game, deals, seed, history=True)
    decks = batch.states["deck"][:, : len(batch.rules.cards)].tolist()
    play_randomly(batch, np.random.default_rng(seed))
    assert batch.log is not None
    actions = [row[:count].tolist() for row, count in zip(batch.log.actions, batch.log.counts, strict=True)]
    return batch, decks, actions


OTHER = [f"{preset},reward={reward},dealer=0" for preset in ("six_cards", "draft") for reward in REWARDS]


@pytest.mark.parametrize("settings", [*PRESETS, *OTHER, "humbug,dealer=0"])
def test_random_simulations_pass(settings: str) -> None:
    game = pyspiel.load_game(f"python_german_whist(rules={settings})")
    pyspiel.random_sim_test(game, num_sims=3, serialize=True, verbose=False)


@pytest.mark.parametrize("preset", PRESETS)
def test_game_matches_engine(preset: str) -> None:
    batch, decks, actions = recorded(preset, 6)
    for row in range(batch.size):
        game = gw_openspiel.load_game(preset, REWARDS[row // 2], dealer=row % 2)
        state = gw_openspiel.state_of(game, decks[row], actions[row])
        assert state.is_terminal()
        assert state.returns() == batch.returns(REWARDS[row // 2])[row].tolist()
    for row in range(2):
        game = gw_openspiel.load_game(preset, dealer=row)
        again = DealBatch(preset, 1, history=True)
        again.deal_decks([decks[row]], [row])
        for count, action in enumerate(actions[row]):
            state = gw_openspiel.state_of(game, decks[row], actions[row][:count])
            assert state.current_player() == again.turn[0]
            assert state.legal_actions_mask() == again.action_mask()[0].tolist()
            for seat in (0, 1):
                assert state.observation_tensor(seat) == again.observe(seats=[seat])[0].tolist()
                tokens, length = state.deal.history(seat)
                assert length == again.history(seats=[seat])[1][0]
                assert (tokens == again.history(seats=[seat])[0][0]).all()
            again.step([action])


def test_game_parameters_are_rules() -> None:
    game = pyspiel.load_game("python_german_whist(rules=tiny,ranks=3,stock=2)")
    assert game.setup.rules == rules("six_cards")
    assert str(game) == "python_german_whist(rules=six_cards)"
    assert pyspiel.load_game("python_german_whist").setup.rules == rules("classic")
    assert pyspiel.load_game("python_german_whist(rules=tiny,draft=True)").setup.rules == rules("tiny:draft=true")
    none = pyspiel.load_game("python_german_whist(open_stock=0,trump=none)").setup.rules
    assert none == rules("no_trump")
    book = gw_openspiel.load_game("classic:points=over_book,book=5,counts=all")
    assert pyspiel.load_game(str(book)).setup == book.setup
    for preset in rule_names():
        for dealer in (0, 1):
            game = gw_openspiel.load_game(preset, "points", dealer)
            assert game.setup.rules == rules(preset)
            assert pyspiel.load_game(str(game)).setup == game.setup


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ("reward=pionts", "did you mean 'points'"),
        ("dealer=2", "dealer .* 2"),
        ("rules=tiny,stock=3", "stock=3 is odd"),
    ],
)
def test_bad_parameters_are_refused(parameters: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pyspiel.load_game(f"python_german_whist({parameters})")

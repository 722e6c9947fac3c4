"""Information states have perfect recall and nothing else: equal exactly where a seat cannot tell."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pyspiel = pytest.importorskip("pyspiel")

from german_whist.game.rules import Rules, rule_names, rules
from german_whist.openspiel.game import load_game
from german_whist.openspiel.state import GermanWhistState, Resampler
from tests.strategies import games, seeds


def expressible(game: Rules) -> bool:
    """Whether OpenSpiel's parameters can describe these rules."""
    try:
        load_game(game)
    except ValueError:
        return False
    return True


def random_states(game: Rules, seed: int, dealer: int, deals: int) -> Iterator[GermanWhistState]:
    """The positions of random deals, but those of chance."""
    rng = np.random.default_rng(seed % 2**32)
    loaded = load_game(game, dealer=dealer)
    for _ in range(deals):
        state = loaded.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                cards, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(int(rng.choice(cards, p=chances)))
            else:
                yield state.clone()
                state.apply_action(int(rng.choice(state.legal_actions())))
        yield state


@settings(max_examples=40, deadline=None)
@given((games() | st.sampled_from([*map(rules, rule_names())])).filter(expressible), seeds)
def test_resampled_states_look_alike(game: Rules, seed: int) -> None:
    """Resampled states are replayed from another deck; the seat must not see a difference anywhere."""
    resample = Resampler(seed)
    rng = np.random.default_rng(seed % 2**32)
    states = [state for state in random_states(game, seed, seed % 2, 1) if not state.is_terminal()]
    for place in rng.choice(len(states), min(4, len(states)), replace=False):
        state = states[place]
        for seat in (0, 1):
            other = resample(state, seat)
            assert other.information_state_string(seat) == state.information_state_string(seat)
            assert other.information_state_tensor(seat) == state.information_state_tensor(seat)
            assert other.observation_string(seat) == state.observation_string(seat)
            assert other.observation_tensor(seat) == state.observation_tensor(seat)


@pytest.mark.parametrize("spec", ["six_cards", "tiny", "tiny:draft=true", "tiny:open_stock=0,trump=none"])
def test_strings_and_tensors_tell_histories_apart(spec: str) -> None:
    """Every pair of many random states: same string, same tensor, same history, or none of them."""
    histories: dict[bytes, tuple[str, bytes]] = {}
    strings, tensors = set(), set()
    nodes = 0
    for state in random_states(rules(spec), 4, 1, 400 if spec == "six_cards" else 120):
        nodes += 1
        tokens, length = state.deal.history(0)
        string = state.information_state_string(0)
        tensor = np.array(state.information_state_tensor(0), np.float32).tobytes()
        assert histories.setdefault(tokens[:length].tobytes(), (string, tensor)) == (string, tensor)
        strings.add(string)
        tensors.add(tensor)
    assert len(strings) == len(tensors) == len(histories) < nodes - 50

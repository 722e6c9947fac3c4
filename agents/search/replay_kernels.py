"""How likely the opponent's seen plays are in a sampled deal: the deal is replayed along the history."""

from __future__ import annotations

import numpy as np

from german_whist.agents.bots.heuristic.bot_kernels import heuristic_action
from german_whist.agents.inference.determinization_kernels import OPPONENT, SELF
from german_whist.agents.inference.hidden_deal_kernels import sample_deal, sample_deal_of_hand
from german_whist.agents.search.row_network_kernels import has_layers, network_probability
from german_whist.envs.engine.state import DRAFT, PLAY
from german_whist.envs.engine.state_kernels import deal, is_legal, legal_actions, play
from german_whist.envs.observation.view_kernels import cards_of_view, write_view
from german_whist.envs.utils.bit_kernels import popcount
from german_whist.envs.utils.jit import kernel

NETWORK, HEURISTIC, UNIFORM = 0, 1, 2  # opponent models
MODELS = 3

_ONE = np.uint64(1)


@kernel
def write_replay_rules(hidden, view, game):
    """Write the rules that replay a history; high or low is set in the state itself."""
    game.deck = cards_of_view(view)
    game.cards = popcount(game.deck)
    game.hand = hidden.hand
    game.open_stock = hidden.turned
    game.has_trump = 1 if view.trump >= 0 else 0
    game.high_low = game.humbug = 0
    game.draft = view.draft
    game.race = view.race
    game.all_count = view.all_count


@kernel
def _next_action(hidden, state, cards_played):
    """Return the next action of a history, −1 at its end."""
    if state.decision == PLAY:
        return np.int64(hidden.played[cards_played]) if cards_played < hidden.cards_played else np.int64(-1)
    tricks = state.tricks
    trick = np.int64(tricks[0, 0]) + tricks[0, 1] + tricks[1, 0] + tricks[1, 1]
    if state.decision == DRAFT:
        return np.int64(hidden.choice[trick])
    return np.int64(hidden.took[trick, state.turn])


@kernel
def add_log_likelihoods(game, hidden, low, network, mistakes, state, view, log_likelihoods):
    """Add the log-likelihood of the opponent's choices under each opponent model and return whether all are legal.

    Args:
        game: a ``GAME`` record, from :func:`write_replay_rules`.
        hidden: a ``HIDDEN_DEAL`` record.
        low: whether the fewest tricks win.
        network: a :class:`RowNetwork`.
        mistakes: float64[3]: the network's temperature in tricks, and how often it and the heuristic bot play a
            uniformly random legal action instead.
        state: a ``STATE`` record with the deck; changed.
        view: scratch, a ``VIEW`` record.
        log_likelihoods: float64[3], added to.
    """
    deal(game, state, SELF if hidden.is_dealer else OPPONENT)
    state.low = low
    cards_played = np.int64(0)
    while not state.done:
        action = _next_action(hidden, state, cards_played)
        if action < 0:
            return state.turn == SELF
        if not is_legal(state, action):
            return False
        legal = legal_actions(state)
        if state.turn == OPPONENT and legal & (legal - _ONE):
            write_view(game, state, OPPONENT, view)
            share = 1.0 / popcount(legal)
            log_likelihoods[UNIFORM] += np.log(share)
            chosen = 1.0 if heuristic_action(view) == action else 0.0
            log_likelihoods[HEURISTIC] += np.log((1.0 - mistakes[2]) * chosen + mistakes[2] * share)
            if has_layers(network):
                chosen = network_probability(network, view, action, mistakes[0])
                log_likelihoods[NETWORK] += np.log((1.0 - mistakes[1]) * chosen + mistakes[1] * share)
        cards_played += 1 if state.decision == PLAY else 0
        play(game, state, action)
    return False


@kernel
def sample_candidates(
    game, hidden, low, deals, listed, key, first, last, network, mistakes, states, views, hands, log_likelihoods
):
    """Sample deals ``first`` … ``last`` − 1, and write the opponent's hidden cards and the log-likelihoods.

    Args:
        game: ``GAME`` array (1,).
        hidden: ``HIDDEN_DEAL`` array (1,).
        low: whether the fewest tricks win.
        deals: ``ways``, ``hands``, ``cumulative`` and ``combinations`` of ``count_ways``.
        listed: hands that the opponent can hold, uint64[n], of which each is taken equally often; empty: hands are
            sampled.
        key: random key.
        first: first deal.
        last: the deal after the last.
        network: a :class:`RowNetwork`.
        mistakes: see :func:`add_log_likelihoods`.
        states: scratch, ``STATE`` array (1,).
        views: scratch, ``VIEW`` array (1,).
        hands: uint64[candidates], written.
        log_likelihoods: float64[candidates, 3], written.

    Returns:
        Whether every deal agrees with the history.
    """
    ways, suits, cumulative, combinations = deals
    size = hands.shape[0]
    for number in range(first, last):
        state = states[0]
        log_likelihoods[number] = 0.0
        if listed.shape[0]:
            hands[number] = listed[number % listed.shape[0]]
            sample_deal_of_hand(hidden[0], ways, hands[number], key, number, np.int64(1), state.deck)
        else:
            hands[number] = sample_deal(hidden[0], ways, suits, cumulative, combinations, key, number, size, state.deck)
        written = log_likelihoods[number]
        if not add_log_likelihoods(game[0], hidden[0], low, network, mistakes, state, views[0], written):
            return False
    return True

"""What a rollout does in every row and step: look at the deal, choose a card, pay the tricks."""

from __future__ import annotations

import numpy as np

from german_whist.agents.policy.canonical import named_action, rename_view, renamed_mask, role_of
from german_whist.envs.engine.dealing_kernels import AGENT_STREAM, philox
from german_whist.envs.engine.state_kernels import counted_tricks
from german_whist.envs.observation.vector_kernels import write_observation
from german_whist.envs.observation.view_kernels import write_view
from german_whist.envs.utils.bit_kernels import write_cards
from german_whist.envs.utils.jit import kernel

HIDDEN_CELLS = 3 * 52  # opponent's hand, next face-down card, place in the stock
# Streams from AGENT_STREAM on are those of opponents, by their number.
CHOICE_STREAM = AGENT_STREAM + 2**20

_ONE = np.uint64(1)


@kernel
def look(game, states, views, num_observations, cells, masks, roles, live):
    """Write what the seats to act see, with cards by role, and which actions are theirs.

    Args:
        game: the rules.
        states: ``STATE`` array (rows,).
        views: ``VIEW`` array (2,), scratch.
        num_observations: cells of an observation. A row that is longer gets the hidden cells after them.
        cells: int8[rows, ...], written.
        masks: bool[rows, actions], written.
        roles: int8[rows, ROLES], what is behind the roles, written; see ``rename_view``.
        live: whether ranks are counted among the live cards.
    """
    view, renamed = views[0], views[1]
    for row in range(states.shape[0]):
        state = states[row]
        seat = np.int64(state.turn)
        write_view(game[0], state, seat, view)
        views[1] = view
        rename_view(view, renamed, roles[row], live)
        write_observation(game[0], renamed, cells[row, :num_observations])
        if cells.shape[1] > num_observations:
            write_hidden(game[0], state, seat, roles[row], cells[row, num_observations:])
        for action in range(masks.shape[1]):
            masks[row, action] = (renamed.legal >> np.uint64(action)) & _ONE


@kernel
def write_hidden(game, state, seat, roles, cells):
    """Write what the seat to act cannot see, with cards by role; for the critic alone.

    Args:
        game: the rules.
        state: a record of ``STATE``.
        seat: the seat to act.
        roles: int8[ROLES], what is behind the roles.
        cells: int8[156], written: the opponent's hand, the next face-down card, each stock card's place (1 = top).
    """
    cells[:] = 0
    write_cards(renamed_mask(state.hands[1 - seat], roles), cells, 0)
    for place in range(state.top, game.cards):
        cell = role_of(state.deck[place], roles)
        cells[104 + cell] = place - state.top + 1
        if place == state.top:
            cells[52 + cell] = 1


@kernel
def choose(logits, masks, roles, seed, deals, moves, chosen, log_probs, actions):
    """Sample an action of each row from its masked logits, by numbers that depend on the deal and the move alone.

    Args:
        logits: float32[rows, actions].
        masks: bool[rows, actions].
        roles: int8[rows, ROLES], what is behind the roles.
        seed: uint64.
        deals: uint64[rows], the deal of each row.
        moves: int64[rows], actions played in it so far.
        chosen: int64[rows], the action by role, written; −1 where no logit is a number.
        log_probs: float32[rows], its log probability, written.
        actions: int64[rows], the action by name, written; −1 likewise.
    """
    for row in range(logits.shape[0]):
        highest = np.float32(-np.inf)
        for action in range(logits.shape[1]):
            if masks[row, action] and logits[row, action] > highest:
                highest = logits[row, action]
        total = 0.0
        for action in range(logits.shape[1]):
            if masks[row, action]:
                total += np.exp(np.float64(logits[row, action] - highest))
        word = philox(seed, deals[row], np.uint64(moves[row]), np.uint64(CHOICE_STREAM))[0]
        left = (np.float64(word) + 0.5) * 2.0**-32 * total
        picked = -1
        for action in range(logits.shape[1]):
            if masks[row, action] and left > 0:
                picked = action
                left -= np.exp(np.float64(logits[row, action] - highest))
        chosen[row] = actions[row] = picked
        if picked < 0:
            continue
        log_probs[row] = np.float64(logits[row, picked] - highest) - np.log(total)
        actions[row] = named_action(picked, roles[row])


@kernel
def margins(game, states, out):
    """Write seat 0's counted tricks minus seat 1's so far, the other way round in low deals, into float32[rows]."""
    for row in range(states.shape[0]):
        margin = counted_tricks(game[0], states[row], 0) - counted_tricks(game[0], states[row], 1)
        out[row] = -margin if states[row].low else margin

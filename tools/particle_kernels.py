"""Kernels of particles: decks that agree with a seat's history, with the opponent policy's log-probabilities in each.

The seat whose history it is has seat 0. A *decision* is an action of the opponent, forced or not. At a decision,
everything that the opponent sees is the same in all particles, except its own hand.
"""

from __future__ import annotations

import numpy as np

from german_whist.agents.inference.deck_sampling_kernels import uniform
from german_whist.agents.inference.likelihood_kernels import next_action
from german_whist.agents.inference.world_sampling_kernels import OPPONENT, SELF
from german_whist.agents.search.rollout_kernels import distinct_actions
from german_whist.envs.engine.state import PLAY
from german_whist.envs.engine.state_kernels import deal, is_legal, legal_actions, play
from german_whist.envs.observation.view_kernels import write_view
from german_whist.envs.utils.bit_kernels import lowest, nth_lowest, popcount
from german_whist.envs.utils.jit import kernel

_ONE = np.uint64(1)
_FREE, _SWAP = 2**41, 2**42  # first numbers of the random streams that shuffle the stock and propose swaps


@kernel
def count_decisions(game, hidden, deck, scratch):
    """Return the number of the opponent's actions in a history, by playing a deck that agrees with it."""
    state = scratch[0]
    state.deck[:] = deck
    deal(game[0], state, SELF if hidden[0].is_dealer else OPPONENT)
    cards_played = decisions = np.int64(0)
    action = next_action(hidden[0], state, cards_played)
    while action >= 0:
        decisions += 1 if state.turn == OPPONENT else 0
        cards_played += 1 if state.decision == PLAY else 0
        play(game[0], state, action)
        action = next_action(hidden[0], state, cards_played)
    return decisions


@kernel
def draw_free_places(hidden, key, number, deck):
    """Shuffle the cards that are in no hand (Fisher–Yates)."""
    places = hidden.free_places
    left = popcount(places)
    block = np.int64(0)
    while left > 1:
        other = nth_lowest(places, np.int64(uniform(key, _FREE + number, block) * left))
        first = lowest(places)
        deck[first], deck[other] = deck[other], deck[first]
        places &= places - _ONE
        left -= 1
        block += 1


@kernel
def agree(hidden, places_before, decks, is_listed, agreeing):
    """Swap newly seen cards to the places where they were seen, and write which particles then agree.

    A card in no hand may as well have lain elsewhere in the stock, which changes no probability of the opponent's past
    actions. A card that a particle gave to the opponent cannot be moved.

    Args:
        hidden: a ``HIDDEN_DEAL`` record.
        places_before: mask of the deck positions of the opponent's cards when particles were last weighed.
        decks: int8[particles, 52], changed.
        is_listed: whether every order of the stock is a particle of its own; then no card is moved.
        agreeing: bool[particles], written.
    """
    for number in range(decks.shape[0]):
        deck = decks[number]
        agreeing[number] = True
        for place in range(52):
            card = hidden.deck[place]
            if card < 0 or deck[place] == card:
                continue
            other = np.int64(0)
            while deck[other] != card:
                other += 1
            if is_listed or places_before & (_ONE << np.uint64(other)):
                agreeing[number] = False
                break
            deck[place], deck[other] = deck[other], deck[place]


@kernel
def propose_swap(hidden, key, number, deck):
    """Swap a hidden card of the opponent with another hidden card; a symmetric Metropolis–Hastings proposal.

    Returns:
        Whether a swap is possible.
    """
    hand = hidden.hand_places
    opponents = hand | hidden.drawn_places
    first = nth_lowest(opponents, np.int64(uniform(key, _SWAP + number, 0) * popcount(opponents)))
    bit = _ONE << np.uint64(first)
    others = hidden.drawn_places | hidden.free_places | hand
    others &= ~(hand if hand & bit else bit)  # the order of a hand does not matter
    if not others:
        return False
    second = nth_lowest(others, np.int64(uniform(key, _SWAP + number, 1) * popcount(others)))
    deck[first], deck[second] = deck[second], deck[first]
    return True


@kernel
def write_questions(game, hidden, deck, before, start, scratch, row, count, logs, views, rows, decisions, actions):
    """Replay a deck, and write those of the opponent's choices about which the policy has not been asked.

    Args:
        game: the rules, a ``GAME`` record.
        hidden: a ``HIDDEN_DEAL`` record.
        deck: int8[52].
        before: a deck whose ``logs`` are known, int8[52]; they hold wherever the opponent's hand is the same.
        start: the first decision to ask about, if ``before`` is the deck itself.
        scratch: ``STATE`` array (2,).
        row: index of the particle.
        count: number of questions written so far.
        logs: log-probability of each of the opponent's actions, float64[decisions]; forced ones are written.
        views: ``VIEW`` array, written from ``count`` on, like the next three.
        rows: the particle of each question, int64.
        decisions: the decision of each question, int64.
        actions: the action that was observed, int64.

    Returns:
        The new number of questions; −1 if the deck does not agree with the history.
    """
    state, other = scratch[0], scratch[1]
    state.deck[:] = deck
    other.deck[:] = before
    dealer = SELF if hidden.is_dealer else OPPONENT
    deal(game, state, dealer)
    deal(game, other, dealer)
    is_same = True
    for place in range(game.cards):
        is_same &= deck[place] == before[place]
    cards_played = decision = np.int64(0)
    while True:
        action = next_action(hidden, state, cards_played)
        if action < 0:
            return count
        if state.done or not is_legal(state, action):
            return np.int64(-1)
        if state.turn == OPPONENT:
            known = decision < start if is_same else state.hands[OPPONENT] == other.hands[OPPONENT]
            legal = legal_actions(state)
            if not legal & (legal - _ONE):
                logs[decision] = 0.0
            elif not known:
                write_view(game, state, OPPONENT, views[count])
                rows[count], decisions[count], actions[count] = row, decision, action
                count += 1
            decision += 1
        cards_played += 1 if state.decision == PLAY else 0
        play(game, state, action)
        if not is_same:
            play(game, other, action)


@kernel
def ask_about_decks(game, hidden, owners, decks, starts, scratch, logs, possible, views, rows, decisions, actions):
    """Write the questions about new decisions in each particle, and return their number.

    Args:
        game: the rules, ``GAME`` array (1,).
        hidden: ``HIDDEN_DEAL`` array (games,).
        owners: the game of each particle, int64[particles].
        decks: int8[particles, 52].
        starts: the first decision to ask about in each game, int64[games].
        scratch: ``STATE`` array (2,).
        logs: float64[particles, decisions], written where the opponent was forced.
        possible: whether each particle agrees with the history, bool[particles], read and written.
        views: see :func:`write_questions`, like the rest.
        rows: likewise.
        decisions: likewise.
        actions: likewise.
    """
    count = np.int64(0)
    for row in range(owners.shape[0]):
        if not possible[row]:
            continue
        owner, deck = owners[row], decks[row]
        asked = write_questions(
            game[0],
            hidden[owner],
            deck,
            deck,
            starts[owner],
            scratch,
            row,
            count,
            logs[row],
            views,
            rows,
            decisions,
            actions,
        )
        possible[row] = asked >= 0
        count = max(count, asked)
    return count


@kernel
def ask_about_swaps(
    game, hidden, owners, decks, keys, numbers, scratch, proposals, logs, possible, views, rows, decisions, actions
):
    """Propose another deck for each particle, write the questions about it, and return their number.

    Args:
        game: the rules, ``GAME`` array (1,).
        hidden: ``HIDDEN_DEAL`` array (games,).
        owners: the game of each particle, int64[particles].
        decks: int8[particles, 52].
        keys: random key of each game, uint64[games].
        numbers: number of each particle's random stream, int64[particles].
        scratch: ``STATE`` array (2,).
        proposals: int8[particles, 52], written.
        logs: float64[particles, decisions]: of ``decks``, changed where the opponent is forced.
        possible: whether each proposal agrees with the history, bool[particles], written.
        views: see :func:`write_questions`, like the rest.
        rows: likewise.
        decisions: likewise.
        actions: likewise.
    """
    count = np.int64(0)
    for row in range(owners.shape[0]):
        owner = owners[row]
        proposals[row] = decks[row]
        possible[row] = propose_swap(hidden[owner], keys[owner], numbers[row], proposals[row])
        if possible[row]:
            asked = write_questions(
                game[0],
                hidden[owner],
                proposals[row],
                decks[row],
                0,
                scratch,
                row,
                count,
                logs[row],
                views,
                rows,
                decisions,
                actions,
            )
            possible[row] = asked >= 0
            count = max(count, asked)
    return count


@kernel
def uniform_numbers(keys, owners, numbers, block, out):
    """Write a uniform number for each particle; proposals use blocks 0 and 1 of the same streams."""
    for row in range(owners.shape[0]):
        out[row] = uniform(keys[owners[row]], _SWAP + numbers[row], block)


@kernel
def write_worlds(game, hidden, owners, decks, keys, numbers, shuffled, states):
    """Write the state of each world: a particle's deck played up to the present, with the stock shuffled if asked to.

    Args:
        game: the rules, ``GAME`` array (1,).
        hidden: ``HIDDEN_DEAL`` array (games,).
        owners: the game of each world, int64[worlds].
        decks: int8[worlds, 52], changed.
        keys: random key of each game, uint64[games].
        numbers: number of each world's random stream, int64[worlds].
        shuffled: whether to shuffle the stock of each world, bool[worlds].
        states: ``STATE`` array (worlds,), written.
    """
    for world in range(owners.shape[0]):
        owner = owners[world]
        if shuffled[world]:
            draw_free_places(hidden[owner], keys[owner], numbers[world], decks[world])
        state = states[world]
        state.deck[:] = decks[world]
        deal(game[0], state, SELF if hidden[owner].is_dealer else OPPONENT)
        cards_played = np.int64(0)
        action = next_action(hidden[owner], state, cards_played)
        while action >= 0:
            cards_played += 1 if state.decision == PLAY else 0
            play(game[0], state, action)
            action = next_action(hidden[owner], state, cards_played)


@kernel
def write_actions(views, distinct, actions):
    """Write the legal actions, bool[n, 54]; where ``distinct``, one of each class of equivalent actions."""
    for i in range(views.shape[0]):
        left = distinct_actions(views[i]) if distinct[i] else views[i].legal
        for action in range(actions.shape[1]):
            actions[i, action] = (left >> np.uint64(action)) & _ONE != 0

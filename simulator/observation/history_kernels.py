"""Kernels that keep a deal's actions, replay it and write one seat's events."""

from __future__ import annotations

import numpy as np

from german_whist.game.cards import NUM_CARDS
from german_whist.game.state import NON_CARD_ACTIONS, PICK, PICK_AFTER, PLAY, STATE
from german_whist.game.state_kernels import card_bit, deal, is_legal, play
from german_whist.game.utils.bit_kernels import lowest, popcount
from german_whist.game.utils.jit import kernel
from german_whist.game.utils.row_kernels import row_kernel
from german_whist.simulator.observation.canonical_kernels import encode_action
from german_whist.simulator.observation.history import EVENTS

_EVENT = {event.name: number for number, event in enumerate(EVENTS)}
_NOTHING = _EVENT["nothing"]
_DEALER = _EVENT["dealer"]
_DEALT = _EVENT["dealt"]
_TURNED = _EVENT["turned"]
_PLAYED = _EVENT["played"]
_WON = _EVENT["won"]
_TOOK = _EVENT["took"]
_DREW = _EVENT["drew"]
# The events of actions 52 and 53, by the kind of decision.
_NON_CARD_EVENTS = np.zeros((max(one.decision for one in NON_CARD_ACTIONS) + 1, 2), np.int64)
for _one in NON_CARD_ACTIONS:
    _NON_CARD_EVENTS[_one.decision, _one.number - NUM_CARDS] = _EVENT[_one.name]

_NOBODY = -1  # the seat of an event without one


@kernel
def _write_event(tokens, length, me, event, seat, card, trick):
    """Write an event and return the new number of events; ``card`` is −1 if there is none or it was not seen."""
    tokens[length, 0] = event
    tokens[length, 1] = 0 if seat < 0 else 1 if seat == me else 2
    tokens[length, 2] = card + 1
    tokens[length, 3] = trick
    return length + 1


@kernel
def _write_card_events(tokens, length, me, event, seat, cards, trick, seen):
    """Write one event per card of a mask, from low to high."""
    while cards:
        card = lowest(cards)
        cards ^= card_bit(card)
        length = _write_event(tokens, length, me, event, seat, card if seen else -1, trick)
    return length


@kernel
def _write_turned(state, tokens, length, me, turned, trick):
    """Write the cards just turned up, in the order of the deck."""
    # They are the last ones dealt from the deck: drawing comes before turning up.
    for position in range(state.top - popcount(turned), state.top):
        length = _write_event(tokens, length, me, _TURNED, _NOBODY, np.int64(state.deck[position]), trick)
    return length


@kernel
def _write_opening(rules, state, me, tokens):
    """Write a seat's events of the dealing."""
    length = _write_event(tokens, 0, me, _DEALER, state.dealer, -1, 0)
    length = _write_card_events(tokens, length, me, _DEALT, me, state.hands[me], 0, True)
    length = _write_card_events(tokens, length, me, _DEALT, 1 - me, state.hands[1 - me], 0, False)
    if rules.humbug:
        return _write_event(tokens, length, me, _TURNED, state.dealer, np.int64(state.deck[rules.cards - 1]), 0)
    return _write_turned(state, tokens, length, me, state.face_up, 0)


@kernel
def _write_action(rules, state, action, me, tokens, length):
    """Play an action and write a seat's events."""
    seat = np.int64(state.turn)
    decision = state.decision
    is_second = state.led >= 0
    open_before = state.face_up
    first, second = state.hands[0], state.hands[1]
    tricks = state.tricks
    # A choice belongs to the trick before it, which has been counted already.
    trick = np.int64(tricks[0, 0]) + tricks[0, 1] + tricks[1, 0] + tricks[1, 1] + (1 if decision == PLAY else 0)
    play(rules, state, action)
    if decision == PLAY:
        length = _write_event(tokens, length, me, _PLAYED, seat, action, trick)
        if is_second:
            length = _write_event(tokens, length, me, _WON, state.winner, -1, trick)
    elif action >= NUM_CARDS:
        event = _NON_CARD_EVENTS[decision, action - NUM_CARDS]
        length = _write_event(tokens, length, me, event, seat, -1, trick)
    # The cards taken are the difference of the hands: cards that lay face up were seen by both.
    for turn in range(2):
        taker = np.int64(state.winner) if turn == 0 else 1 - np.int64(state.winner)
        gained = state.hands[taker] & ~(first if taker == 0 else second)
        length = _write_card_events(tokens, length, me, _TOOK, taker, gained & open_before, trick, True)
        length = _write_card_events(tokens, length, me, _DREW, taker, gained & ~open_before, trick, taker == me)
    return _write_turned(state, tokens, length, me, state.face_up & ~open_before, trick)


@kernel
def write_history(rules, state, actions, count, me, scratch, tokens):
    """Replay a deal, write what seat ``me`` saw of it, and return the number of events; an illegal action ends it.

    Args:
        rules: a ``RULES_RECORD`` record.
        state: ``STATE`` record; only its deck and dealer are read.
        actions: the actions played, int8[at least count].
        count: number of actions.
        me: the seat.
        scratch: a ``STATE`` record to replay the deal in.
        tokens: int8[max_events, 4], overwritten completely.
    """
    for position in range(rules.cards):
        scratch.deck[position] = state.deck[position]
    deal(rules, scratch, np.int64(state.dealer))
    length = _write_opening(rules, scratch, me, tokens)
    for i in range(min(count, actions.shape[0])):
        if not is_legal(scratch, np.int64(actions[i])):  # actions may come from users' states
            break
        length = _write_action(rules, scratch, np.int64(actions[i]), me, tokens, length)
    for row in range(length, tokens.shape[0]):
        for column in range(tokens.shape[1]):
            tokens[row, column] = _NOTHING
    return length


@kernel
def action_told(decision, token):
    """Return the action that an event tells of a decision; −1 if it tells none."""
    event, card = token[0], np.int64(token[2]) - 1
    if decision == PLAY:
        return card if event == _PLAYED else np.int64(-1)
    if decision in (PICK, PICK_AFTER):
        return card if event == _TOOK else np.int64(-1)
    for choice in range(2):
        if event == _NON_CARD_EVENTS[decision, choice]:
            return np.int64(NUM_CARDS + choice)
    return np.int64(-1)


@kernel
def read_actions(rules, state, tokens, actions):
    """Deal a state and play the actions of both seats that a history tells, up to the first illegal one.

    Args:
        rules: a ``RULES_RECORD`` record.
        state: ``STATE`` record with a deck that agrees with the history, and the dealer.
        tokens: the history, int8[events, 4].
        actions: int8[max_game_length], written.

    Returns:
        The number of actions.
    """
    deal(rules, state, np.int64(state.dealer))
    count = 0
    for row in range(tokens.shape[0]):
        action = np.int64(-1) if state.done else action_told(state.decision, tokens[row])
        if action < 0:
            continue
        if not is_legal(state, action):
            break
        play(rules, state, action)
        actions[count] = action
        count += 1
    return count


@row_kernel(scratch={"scratch": (1, STATE)})
def write_histories(i, rules, states, actions, counts, rows, seats, scratch, tokens, lengths):
    """Write the history of ``seats[i]`` in row ``rows[i]``, and its number of events; −1 is the seat to act."""
    row = rows[i]
    seat = np.int64(states[row].turn) if seats[i] < 0 else seats[i]
    lengths[i] = write_history(rules[0], states[row], actions[row], counts[row], seat, scratch[0], tokens[i])


@row_kernel
def add_actions(i, rows, chosen, skipped, actions, counts):
    """Append ``chosen[i]`` to the actions of row ``rows[i]``, unless ``skipped[i]``."""
    row = rows[i]
    if not skipped[i] and counts[row] < actions.shape[1]:  # counts may come from users' states
        actions[row, counts[row]] = chosen[i]
        counts[row] += 1


@kernel
def _follows_higher(tokens, row):
    """Return whether the event before a row belongs to the same list of cards and has a higher one."""
    event = tokens[row, 0]
    return (
        event in (_DEALT, _TOOK, _DREW)
        and tokens[row - 1, 0] == event
        and tokens[row - 1, 1] == tokens[row, 1]
        and tokens[row - 1, 3] == tokens[row, 3]
        and tokens[row - 1, 2] > tokens[row, 2]
    )


@row_kernel
def relabel_histories(i, relabeling, lengths, tokens):
    """Relabel the cards of history ``i``. Those that an event lists from low to high are sorted again."""
    for row in range(lengths[i]):
        card = np.int64(tokens[i, row, 2])
        if card:
            tokens[i, row, 2] = 1 + encode_action(card - 1, relabeling[i])
        target = row
        while target > 0 and _follows_higher(tokens[i], target):
            tokens[i, target - 1, 2], tokens[i, target, 2] = tokens[i, target, 2], tokens[i, target - 1, 2]
            target -= 1

"""Lookaheads: every action of a position is tried in the deal and continued to where a network's output is needed.

Rotations of the unseen cards are other deals that are exactly as likely as the true one after any play. No play can
have depended on a face-down card: given all that the seat to act knows, every order of the face-down stock is equally
likely; so is any exchange with the card that the other seat drew unseen in the last trick, as long as that seat has not
decided anything since. Trying an action in several orders reduces the variance of its target without bias, unlike
worlds that are sampled without regard to the opponent's play. The orders are rotations of the true one: each is uniform
on its own, no place holds the same card twice, and no random numbers are needed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.policy.canonical_kernels import RELABELING_SIZE, decode_action, relabel_view
from german_whist.agents.policy.input_kernels import write_network_input
from german_whist.agents.search.choice_kernels import squashed_margin
from german_whist.agents.search.rollout_kernels import is_neighbour, is_open_endgame, solved_margin
from german_whist.envs.engine.scoring import signed_margin
from german_whist.envs.engine.state import PLAY, STATE
from german_whist.envs.engine.state_kernels import legal_actions, play
from german_whist.envs.observation.view_kernels import write_view
from german_whist.envs.observation.views import VIEW
from german_whist.envs.utils.bit_kernels import lowest
from german_whist.envs.utils.jit import kernel

_ONE = np.uint64(1)


class InferenceQueue(NamedTuple):
    """Lookaheads that wait for a network's output for the observation of the seat to act.

    Attributes:
        lookaheads: int32[n], their indices.
        features: int8[n, features], the observations of canonical views.
        legal: uint64[n], canonical legal actions.
        relabeling: int8[n, RELABELING_SIZE], the relabelings.
        length: int64[1], number of queued lookaheads.
    """

    lookaheads: npt.NDArray[np.int32]
    features: npt.NDArray[np.int8]
    legal: npt.NDArray[np.uint64]
    relabeling: npt.NDArray[np.int8]
    length: npt.NDArray[np.int64]

    @classmethod
    def empty(cls, capacity: int, features: int) -> InferenceQueue:
        """Return an empty queue for up to ``capacity`` lookaheads."""
        return cls(
            np.zeros(capacity, np.int32),
            np.zeros((capacity, features), np.int8),
            np.zeros(capacity, np.uint64),
            np.zeros((capacity, RELABELING_SIZE), np.int8),
            np.zeros(1, np.int64),
        )

    def observations(self) -> npt.NDArray[np.int8]:
        """Return the queued observations, int8[length, features]."""
        return self.features[: self.length[0]]


class OpponentQueue(NamedTuple):
    """Lookaheads that wait for the action of an opponent that answers itself.

    Attributes:
        lookaheads: int32[n], their indices.
        views: ``VIEW`` array (n,), what the seats to act know.
        length: int64[1], number of queued lookaheads.
    """

    lookaheads: npt.NDArray[np.int32]
    views: npt.NDArray[Any]
    length: npt.NDArray[np.int64]


class Lookaheads(NamedTuple):
    """Actions to evaluate, each played in its own copy of the deal.

    Attributes:
        states: ``STATE`` array (n,), the copies.
        envs: int32[n], the environment of each.
        actions: uint64[n], the true action and the equivalent ones, as a mask.
        seats: int8[n], the seat whose action it is.
        decisions_left: int8[n], own decisions still to come.
        totals: float64[n], sum of the margins expected at the decisions reached.
        weights: float64[n], of each in its action's target: one over the number of stock rotations.
        value_queue: lookaheads at an own decision, waiting for its value.
        policy_queue: lookaheads waiting for the policy's action.
        opponent_queue: lookaheads waiting for the opponent's.
        length: int64[1], number of lookaheads.
        views: ``VIEW`` array (2,), scratch.
        rotated: ``STATE`` array (1,), scratch.
    """

    states: npt.NDArray[Any]
    envs: npt.NDArray[np.int32]
    actions: npt.NDArray[np.uint64]
    seats: npt.NDArray[np.int8]
    decisions_left: npt.NDArray[np.int8]
    totals: npt.NDArray[np.float64]
    weights: npt.NDArray[np.float64]
    value_queue: InferenceQueue
    policy_queue: InferenceQueue
    opponent_queue: OpponentQueue
    length: npt.NDArray[np.int64]
    views: npt.NDArray[Any]
    rotated: npt.NDArray[Any]

    @classmethod
    def empty(cls, capacity: int, features: int) -> Lookaheads:
        """Return an empty set with room for ``capacity`` lookaheads."""
        return cls(
            np.zeros(capacity, STATE),
            np.zeros(capacity, np.int32),
            np.zeros(capacity, np.uint64),
            np.zeros(capacity, np.int8),
            np.zeros(capacity, np.int8),
            np.zeros(capacity, np.float64),
            np.zeros(capacity, np.float64),
            InferenceQueue.empty(capacity, features),
            InferenceQueue.empty(capacity, features),
            OpponentQueue(np.zeros(capacity, np.int32), np.zeros(capacity, VIEW), np.zeros(1, np.int64)),
            np.zeros(1, np.int64),
            np.zeros(2, VIEW),
            np.zeros(1, STATE),
        )


@kernel
def _last_drawn(state):
    """Return the deck index of the card that the other seat has just drawn unseen; −1 where play may reveal it."""
    place = np.int64(state.top) - 2  # the card above it was turned up when it had been drawn
    if place < 0 or state.led >= 0 or state.decision != PLAY:
        return np.int64(-1)
    other = 1 - np.int64(state.turn)
    held = (state.hands[other] & ~state.known[other]) >> np.uint64(state.deck[place])
    return place if held & _ONE else np.int64(-1)


@kernel
def count_rotations(game, state, most):
    """Return the number of rotations to try an action in: ``most``, or all where there are fewer."""
    unseen = np.int64(game.cards) - np.int64(state.top)
    if unseen > 0 and _last_drawn(state) >= 0:
        unseen += 1
    return max(np.int64(1), min(np.int64(most), unseen))


@kernel
def write_rotation(game, state, rotation, rotations, rotated):
    """Write a state with its unseen cards rotated; rotation 0 is the state itself.

    Args:
        game: the rules.
        state: ``STATE`` record; the seat to act cannot tell it from what is written.
        rotation: 0 to ``rotations`` − 1.
        rotations: from :func:`count_rotations`.
        rotated: ``STATE`` array (1,), written.
    """
    rotated[0] = state
    if rotation == 0:
        return
    state_copy = rotated[0]
    top, cards = np.int64(state.top), np.int64(game.cards)
    drawn = _last_drawn(state)
    first = top if drawn < 0 else top - 1  # place of the drawn card, as if it lay on the stock
    unseen = cards - first
    steps = rotation * unseen // rotations
    for number in range(unseen):
        source = first + (number + steps) % unseen
        place = first + number
        card = state.deck[drawn if source < top else source]
        state_copy.deck[drawn if place < top else place] = card
    if drawn >= 0:
        other = 1 - np.int64(state.turn)
        state_copy.hands[other] &= ~(_ONE << np.uint64(state.deck[drawn]))
        state_copy.hands[other] |= _ONE << np.uint64(state_copy.deck[drawn])


@kernel
def begin_lookaheads(game, states, wanted, stock_rotations, lookahead, lookaheads):
    """Try each action of the wanted environments that have a choice, in the true deal and rotations of its stock.

    Hidden cards are the true ones: over many deals, targets average over everything that the seat considers possible,
    with few worlds per position. Of equivalent cards (no card in play between them) only the lowest is tried.

    Args:
        game: the rules.
        states: ``STATE`` array (envs,).
        wanted: bool[envs].
        stock_rotations: number of rotations of the unseen cards to try each action in; fewer if there are fewer cards.
        lookahead: number of own decisions to follow each action for.
        lookaheads: :class:`Lookaheads` with room for all legal actions in every rotation; overwritten.
    """
    count = 0
    for env in range(states.shape[0]):
        state = states[env]
        choices = legal_actions(state)
        if not wanted[env] or not choices & (choices - _ONE):
            continue
        in_play = game[0].deck & ~(state.played[0] | state.played[1])
        if state.led >= 0:
            in_play |= _ONE << np.uint64(state.led)
        rotations = count_rotations(game[0], state, stock_rotations)
        for rotation in range(rotations):
            write_rotation(game[0], state, rotation, rotations, lookaheads.rotated)
            legal = choices
            last = np.int64(-1)
            while legal:
                action = lowest(legal)
                legal &= legal - _ONE
                if state.decision != PLAY or not is_neighbour(last, action, in_play):
                    lookaheads.states[count] = lookaheads.rotated[0]
                    lookaheads.seats[count] = state.turn
                    lookaheads.envs[count] = env
                    lookaheads.actions[count] = 0
                    lookaheads.decisions_left[count] = lookahead
                    lookaheads.totals[count] = 0
                    lookaheads.weights[count] = 1.0 / rotations
                    play(game[0], lookaheads.states[count], action)
                    count += 1
                lookaheads.actions[count - 1] |= _ONE << np.uint64(action)
                last = action
    lookaheads.length[0] = count
    lookaheads.value_queue.length[0] = lookaheads.policy_queue.length[0] = lookaheads.opponent_queue.length[0] = 0


@kernel
def _enqueue(game, views, number, queue, universal):
    """Put a lookahead into a queue, with the observation of the first view."""
    place = queue.length[0]
    views[1] = views[0]
    relabel_view(views[0], views[1], queue.relabeling[place], True)
    write_network_input(game, views[1], universal, queue.features[place])
    queue.legal[place] = views[1].legal
    queue.lookaheads[place] = number
    queue.length[0] = place + 1


@kernel
def play_on(game, low, answers, table, transpositions, margin_tanh_scale, universal, lookaheads):
    """Continue each lookahead until it is over or needs a network's output, and enqueue it for that.

    A lookahead is over after its number of own decisions, at the end of the deal, or at an endgame that is solved
    exactly; the margin then counts for the decisions that it has not reached. Decisions without a choice do not count.

    Args:
        game: the rules.
        low: play the lookaheads of deals played low (1) or high (0). In a low deal the fewest tricks are best, and
            margins have the opposite sign.
        answers: bool[envs], whether the opponent answers itself, not the policy in its place.
        table: ``EndgameTable`` for these deals.
        transpositions: ``RaceTranspositionTable`` of the search.
        margin_tanh_scale: see :func:`choice_kernels.squashed_margin`.
        universal: whether networks see the universal encoding.
        lookaheads: the :class:`Lookaheads`, with empty queues.
    """
    views = lookaheads.views
    for number in range(lookaheads.length[0]):
        state = lookaheads.states[number]
        if lookaheads.decisions_left[number] == 0 or state.low != low:
            continue
        seat = np.int64(lookaheads.seats[number])
        while True:
            if state.done or is_open_endgame(game[0], state):
                if state.done:
                    margin = signed_margin(game[0], state, 0)
                else:
                    margin = solved_margin(game[0], state, table, transpositions)
                squashed = squashed_margin(margin if seat == 0 else -margin, margin_tanh_scale)
                lookaheads.totals[number] += lookaheads.decisions_left[number] * squashed
                lookaheads.decisions_left[number] = 0
                break
            turn = np.int64(state.turn)
            legal = legal_actions(state)
            if not legal & (legal - _ONE):
                play(game[0], state, lowest(legal))
                continue
            write_view(game[0], state, turn, views[0])
            if turn != seat and answers[lookaheads.envs[number]]:
                queue = lookaheads.opponent_queue
                queue.lookaheads[queue.length[0]] = number
                queue.views[queue.length[0]] = views[0]
                queue.length[0] += 1
                break
            if turn == seat:
                _enqueue(game[0], views, number, lookaheads.value_queue, universal)
            if turn != seat or lookaheads.decisions_left[number] > 1:
                _enqueue(game[0], views, number, lookaheads.policy_queue, universal)
            break


@kernel
def take_values(values, lookaheads):
    """Add values to the lookaheads that wait for one, and empty the queue.

    Args:
        values: float32[length, 1], in tricks, to the seats of the queued lookaheads.
        lookaheads: the :class:`Lookaheads`.
    """
    queue = lookaheads.value_queue
    for place in range(queue.length[0]):
        number = queue.lookaheads[place]
        lookaheads.totals[number] += values[place, 0]
        lookaheads.decisions_left[number] -= 1
    queue.length[0] = 0


@kernel
def take_actions(game, logits, lookaheads):
    """Play the legal action with the highest logit in the lookaheads that wait for one, and empty the queue.

    Args:
        game: the rules.
        logits: float32[length, actions], of canonical actions.
        lookaheads: the :class:`Lookaheads`.
    """
    queue = lookaheads.policy_queue
    for place in range(queue.length[0]):
        legal = queue.legal[place]
        best = lowest(legal)
        while legal:
            action = lowest(legal)
            legal &= legal - _ONE
            if logits[place, action] > logits[place, best]:
                best = action
        play(game[0], lookaheads.states[queue.lookaheads[place]], decode_action(best, queue.relabeling[place]))
    queue.length[0] = 0


@kernel
def take_answers(game, actions, lookaheads):
    """Play the opponents' actions in the lookaheads that wait for one, and empty the queue.

    Args:
        game: the rules.
        actions: int64[length].
        lookaheads: the :class:`Lookaheads`.
    """
    queue = lookaheads.opponent_queue
    for place in range(queue.length[0]):
        play(game[0], lookaheads.states[queue.lookaheads[place]], actions[place])
    queue.length[0] = 0


@kernel
def add_q_targets(lookahead, lookaheads, q_targets):
    """Add each lookahead's mean over its decisions and rotations to its actions' targets, once all are over.

    That is a mean of n-step returns (Sutton and Barto, "Reinforcement Learning", 2nd edition, 7.1 and 12.1).

    Args:
        lookahead: number of own decisions of each lookahead.
        lookaheads: the :class:`Lookaheads`.
        q_targets: float32[envs, actions], by true action, 0 at first.
    """
    for number in range(lookaheads.length[0]):
        actions = lookaheads.actions[number]
        while actions:
            action = lowest(actions)
            actions &= actions - _ONE
            q_targets[lookaheads.envs[number], action] += (
                lookaheads.totals[number] * lookaheads.weights[number] / lookahead
            )

"""Row kernels of a rollout: deals, observations, networks' inputs, sampled actions, returns."""

from __future__ import annotations

import math

import numpy as np

from german_whist.agents.policy.input_kernels import write_network_input
from german_whist.game.dealing_kernels import AGENT_STREAM, philox
from german_whist.game.scoring import signed_margin
from german_whist.game.utils.row_kernels import row_kernel
from german_whist.simulator.batch_kernels import begins_endgame, deal_into
from german_whist.simulator.observation.canonical_kernels import decode_action, encode_action, relabel_view
from german_whist.simulator.observation.view_kernels import write_view
from german_whist.simulator.observation.views import VIEW

# Neither the decks' stream, which has the same key, nor AGENT_STREAM, from which opponents draw under other keys.
CHOICE_STREAM = AGENT_STREAM + 2**20

# Whom to ask for the action of an environment: nobody if there is no choice, the learner, or opponent 0, 1, …
NOBODY, LEARNER, FIRST_OPPONENT = range(3)

_ONE = np.uint64(1)


@row_kernel
def deal_ended(
    i, rules, cards, seed, next_deal, ends, numbers, opponent_of, states, deals, moves, deals_of_env, learner_seat
):
    """Deal the next deal into environment ``i`` where its deal has ended, and seat the learner.

    Args:
        i: the environment.
        rules: the rules.
        cards: int8[cards], the deck in order.
        seed: uint64, of the deals.
        next_deal: int64[1], index of the next deal.
        ends: bool[envs], whether the deal has ended.
        numbers: int64[envs], how many have in the environments up to this one.
        opponent_of: int64[envs], index of the opponent; −1 where the learner holds both seats.
        states: ``STATE`` array (envs,), written like the rest.
        deals: int64[envs], index of the deal.
        moves: int64[envs], actions played in it: 0.
        deals_of_env: int64[envs], deals so far in the environment.
        learner_seat: int8[envs], −1 where the learner holds both.
    """
    if not ends[i]:
        return
    deals[i] = next_deal[0] + numbers[i] - 1
    moves[i] = 0
    deal_into(rules, states[i], cards, seed, np.uint64(deals[i]), np.int64(-1))
    # Neighbouring environments alternate, so that even over a few deals the learner deals half the time.
    dealer = np.int64(states[i].dealer)
    seat = dealer if (i + deals_of_env[i]) % 2 == 1 else 1 - dealer
    learner_seat[i] = seat if opponent_of[i] >= 0 else -1
    deals_of_env[i] += 1


@row_kernel(scratch={"view": (1, VIEW)})
def observe_envs(
    i,
    view,
    rules,
    states,
    opponent_of,
    learner_seat,
    views,
    relabeling,
    masks,
    seats,
    learner_mask,
    several_legal,
    asked,
):
    """Write the canonical view of the seat to act in environment ``i``, its legal actions, and whom to ask.

    Args:
        i: the environment.
        view: scratch.
        rules: the rules.
        states: ``STATE`` array (envs,).
        opponent_of: int64[envs], index of the opponent.
        learner_seat: int8[envs], −1 where the learner holds both.
        views: ``VIEW`` array (envs,), canonical, written like the rest.
        relabeling: int8[envs, RELABELING_SIZE], the relabeling of each view; see ``relabel_view``.
        masks: bool[envs, actions], legal canonical actions.
        seats: int8[envs], the seat to act.
        learner_mask: bool[envs], whether the learner is to act.
        several_legal: bool[envs], whether there are at least two legal actions.
        asked: int8[envs], whom to ask.
    """
    seat = np.int64(states[i].turn)
    write_view(rules[0], states[i], seat, view[0])
    views[i] = view[0]
    relabel_view(view[0], views[i], relabeling[i], True)
    legal = views[i].legal
    for action in range(masks.shape[1]):
        masks[i, action] = (legal >> np.uint64(action)) & _ONE
    seats[i] = seat
    learner_mask[i] = learner_seat[i] < 0 or learner_seat[i] == seat
    several_legal[i] = legal & (legal - _ONE) != 0
    if not learner_mask[i]:
        asked[i] = FIRST_OPPONENT + opponent_of[i]
    else:
        asked[i] = LEARNER if several_legal[i] else NOBODY


@row_kernel(writes="row")
def write_inputs(i, rules, rows, views, universal, row):
    """Write a network's inputs for canonical view ``rows[i]`` into row ``i`` of int8[n, features]."""
    write_network_input(rules[0], views[rows[i]], universal, row)


@row_kernel
def sample_actions(i, logits, masks, relabeling, seed, deals, moves, chosen, actions):
    """Sample an action for environment ``i`` from the softmax of masked logits, by inversion.

    The random number is a function of seed, deal and move, so a resumed run draws the same numbers, as does a GPU.

    Args:
        i: the environment.
        logits: float32[envs, actions].
        masks: bool[envs, actions].
        relabeling: int8[envs, RELABELING_SIZE], the relabelings.
        seed: uint64.
        deals: int64[envs], the deal of each environment.
        moves: int64[envs], actions played in it so far.
        chosen: int64[envs], the canonical action, written; −1 if the legal actions' logits are not finite.
        actions: int64[envs], the true action, written; a legal one even then.
    """
    highest = np.float32(-np.inf)
    first = np.int64(-1)
    for action in range(logits.shape[1]):
        if masks[i, action]:
            first = first if first >= 0 else action
            highest = max(highest, logits[i, action])
    total = 0.0
    for action in range(logits.shape[1]):
        if masks[i, action]:
            total += math.exp(np.float64(logits[i, action] - highest))
    word = philox(np.uint64(seed), np.uint64(deals[i]), np.uint64(moves[i]), np.uint64(CHOICE_STREAM))[0]
    left = (np.float64(word) + 0.5) * 2.0**-32 * total  # strictly between 0 and the total
    # The last legal action reached while something is left, so rounding cannot leave none picked. A logit of NaN or +∞
    # makes the total NaN, which is not above 0.
    picked = np.int64(-1)
    for action in range(logits.shape[1]):
        if masks[i, action] and left > 0:
            picked = action
            left -= math.exp(np.float64(logits[i, action] - highest))
    chosen[i] = picked
    actions[i] = decode_action(picked if picked >= 0 else first, relabeling[i])


@row_kernel
def write_encoded_actions(i, envs, given, relabeling, actions, chosen):
    """Write action ``given[i]`` of environment ``envs[i]`` to ``actions``, and its canonical form to ``chosen``.

    All are int64: ``given`` [n], the others [envs].
    """
    env = envs[i]
    actions[env] = given[i]
    chosen[env] = encode_action(given[i], relabeling[env])


@row_kernel
def end_step(i, rules, states, moves, ends, margins):
    """Count the action that was played in environment ``i``, and write whether its deal is over or at its endgame.

    Seat 0's final margin of counted tricks, negated in deals played low, is written to ``margins``, float32[envs],
    where the deal is over, elsewhere 0.
    """
    state = states[i]
    moves[i] += 1
    ends[i] = state.done or begins_endgame(rules[0], state)
    margins[i] = signed_margin(rules[0], state, 0) if state.done else 0

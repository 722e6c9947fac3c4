"""The judge ``network``: what a policy network says of a decision, in tricks and chances to win, without a search.

The network says how the actions differ in margin. Its value network says what its choice is worth; without one, the
mean of rollouts does. The rollouts also give the spread of the margins, which turns margins into chances to win: every
distinct action is rolled out in the same worlds, in which the heuristic bot plays both seats to the endgame. Rules of
thumb play the endgame, and their errors in the first worlds, whose endgames are solved, too, correct the others.

Everything is computed in kernels that need no library of mathematics, so that Python and the page agree.
"""

from __future__ import annotations

import numpy as np

from german_whist.agents.bots.heuristic.bot_kernels import heuristic_action
from german_whist.agents.bots.heuristic.endgame_kernels import rollout_margin
from german_whist.agents.inference.world_sampling_kernels import (
    HAND_COUNTS,
    OPPONENT,
    SELF,
    count_hands,
    sample_hand,
    write_hidden_cards,
    write_known_state,
)
from german_whist.agents.search.rollout_kernels import distinct_actions, solved_margin
from german_whist.game.cards import NUM_ACTIONS, NUM_CARDS
from german_whist.game.scoring import signed_margin
from german_whist.game.state import PLAY, STATE
from german_whist.game.state_kernels import beats, play
from german_whist.game.utils.bit_kernels import lowest, popcount
from german_whist.game.utils.jit import kernel
from german_whist.simulator.observation.view_kernels import write_view
from german_whist.simulator.observation.views import VIEW
from german_whist.solver.tablebase.position_kernels import MAX_CARDS

MAX_WORLDS = 256
BANDWIDTH = 0.7  # width of the kernel that smooths the margins' distribution, the same for all actions up to a shift

_ROLLOUTS = 384  # number of a decision's rollouts, shared by its actions
_SOLVED = 8  # number of them whose endgames are solved, which takes most of the time
SHIFTS, HALVINGS = 30.0, 24  # bisection for the shift that reproduces a value network's chance to win
LEAST_CHANCE = 0.001  # a value network's chance to win is clipped to this distance from 0 and 1
_ONE = np.uint64(1)
_POWERS = 2.0 ** np.arange(-64, 65)
_LOG_2 = 0.6931471805599453

JUDGEMENT = np.dtype(  # values by action; NaN where it is not legal
    [
        ("margins", np.float64, (NUM_ACTIONS,)),
        ("wins", np.float64, (NUM_ACTIONS,)),  # chances to win the deal
        ("own", np.float64, (NUM_ACTIONS,)),  # expected counted tricks
        ("other", np.float64, (NUM_ACTIONS,)),  # those of the opponent
        ("trick", np.float64, (NUM_ACTIONS,)),  # chances to win the current trick
    ],
    align=True,
)
JUDGE_SCRATCH = np.dtype(
    [
        ("counts", HAND_COUNTS, (1,)),
        ("states", STATE, (2,)),
        ("views", VIEW, (1,)),
        ("blinds", np.int8, (NUM_CARDS,)),
        ("samples", np.float64, (_ROLLOUTS,)),
        ("errors", np.float64, (_SOLVED,)),
    ],
    align=True,
)


@kernel
def exponential(value):
    """Return e to the power of a number from −44 to 44; the relative error is below 1e-15."""
    power = np.rint(value / _LOG_2)
    rest = value - power * _LOG_2
    total = 1.0
    for number in range(14, 0, -1):  # Horner's scheme for the series of a number up to log(2) / 2
        total = 1.0 + rest * total / number
    return total * _POWERS[64 + np.int64(power)]


@kernel
def logistic(value):
    """Return the logistic function of a number."""
    return 1.0 / (1.0 + exponential(min(max(-value, -44.0), 44.0)))


@kernel
def normal_share(value):
    """Return the normal distribution function (Abramowitz and Stegun, 26.2.17); the error is below 1e-7."""
    if abs(value) > 8.0:
        return 1.0 if value > 0 else 0.0
    t = 1.0 / (1.0 + 0.2316419 * abs(value))
    series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    tail = series * exponential(-value * value / 2.0) * 0.3989422804014327  # 1 / sqrt(2 * pi)
    return 1.0 - tail if value > 0 else tail


@kernel
def write_world(rules, view, counts, number, state, blinds):
    """Write a world of a view, whose hand is the random key, so that a hint and a review see the same ones."""
    key = np.uint64(view.hand)
    write_known_state(rules, view, state)
    write_hidden_cards(rules, view, sample_hand(counts, key, number), key, number, state, blinds)


@kernel
def play_foreplay(rules, state, seen):
    """Play on by the heuristic bot until the endgame can be solved, else to the end of the deal."""
    is_open = not (rules.race or rules.humbug)
    while not state.done:
        if is_open and not (state.face_up or state.top < rules.cards or state.decision != PLAY or state.led >= 0):
            return
        write_view(rules, state, np.int64(state.turn), seen)
        play(rules, state, np.int64(heuristic_action(seen)))


@kernel
def margin_by_rules(rules, state):
    """Return seat 0's margin of a deal that is over, or whose endgame is played by rules of thumb."""
    margin = signed_margin(rules, state, SELF)
    if state.done:
        return margin
    turn, low = np.int64(state.turn), state.low != 0
    more = rollout_margin(state.hands[turn], state.hands[1 - turn], np.int64(-1), np.int64(state.trump), low)
    return margin + (more if (turn == SELF) != low else -more)


@kernel
def _wins_trick(rules, view, action, scratch):
    """Play an action, and the reply to a lead, in ``states[1]``; return whether it wins the trick."""
    scratch.states[1] = scratch.states[0]
    state, seen = scratch.states[1], scratch.views[0]
    play(rules, state, action)
    if view.choice:
        return False
    if view.led >= 0:
        return beats(action, np.int64(view.led), np.int64(view.trump))
    write_view(rules, state, OPPONENT, seen)
    reply = np.int64(heuristic_action(seen))
    play(rules, state, reply)
    return not beats(reply, action, np.int64(view.trump))


@kernel
def _write_samples(rules, view, actions, worlds, rolled, tablebase, transpositions, scratch, judgement):
    """Write how often actions win their trick, and their margins in the first worlds, world by world."""
    count, solved = popcount(actions), 0
    judgement.trick[:] = np.nan
    rest = actions
    while rest:
        judgement.trick[lowest(rest)] = np.nan if view.choice else 0.0
        rest &= rest - _ONE
    count_hands(rules, view, scratch.counts[0])
    state = scratch.states[1]
    for world in range(worlds):
        write_world(rules, view, scratch.counts[0], np.uint64(world), scratch.states[0], scratch.blinds)
        rest = actions
        for place in range(count):
            action = lowest(rest)
            rest &= rest - _ONE
            if _wins_trick(rules, view, action, scratch):
                judgement.trick[action] += 1.0 / worlds
            if world >= rolled:
                continue
            play_foreplay(rules, state, scratch.views[0])
            margin, sample = margin_by_rules(rules, state), world * count + place
            if solved < _SOLVED:
                exact = margin
                if not state.done and popcount(state.hands[0]) <= MAX_CARDS:
                    exact = solved_margin(rules, state, tablebase, transpositions)
                scratch.errors[solved] = exact - margin
                solved += 1
            scratch.samples[sample] = margin + scratch.errors[sample % solved]


@kernel
def _mean_win(samples, shift):
    """Return the chance to win of samples of the margin, shifted: of a Gaussian kernel density estimate."""
    total = 0.0
    for i in range(samples.shape[0]):
        total += normal_share((samples[i] + shift) / BANDWIDTH)
    return total / samples.shape[0]


@kernel
def _shift_to(samples, win):
    """Return the shift of samples of the margin that gives a chance to win, by bisection."""
    win = min(max(win, LEAST_CHANCE), 1.0 - LEAST_CHANCE)
    low, high = -SHIFTS, SHIFTS
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        if _mean_win(samples, middle) < win:
            low = middle
        else:
            high = middle
    return (low + high) / 2.0


@kernel
def _write_tricks(rules, view, samples, shift, action, judgement):
    """Write the counted tricks that both seats expect after an action."""
    half, margin = rules.counted / 2.0, judgement.margins[action]
    if not rules.race:
        own = (-margin if view.low else margin) / 2.0
        judgement.own[action], judgement.other[action] = half + own, half - own
        return
    own = other = 0.0  # the winner takes as many as it needs, or more than half of all
    for i in range(samples.shape[0]):
        sample = samples[i] + shift + margin
        most = min(np.float64(rules.race), half + abs(sample) / 2.0)
        own += most + min(sample, 0.0)
        other += most - max(sample, 0.0)
    judgement.own[action], judgement.other[action] = own / samples.shape[0], other / samples.shape[0]


@kernel
def judge_by_network(
    rules, view, gains, has_value, margin, win_logit, worlds, tablebase, transpositions, scratch, judgement
):
    """Write what a network says of a decision.

    Args:
        rules: the rules, a ``RULES_RECORD`` record.
        view: the ``VIEW`` record of the seat to act.
        gains: the network's advantages over its choice in tricks of margin, float64[54].
        has_value: whether there is a value network.
        margin: the margin that it expects.
        win_logit: its logit of the chance to win.
        worlds: number of worlds; actions are rolled out in fewer if there are many.
        tablebase: ``Tablebase`` of this kind of game.
        transpositions: ``RaceTranspositionTable`` of the same kind.
        scratch: a ``JUDGE_SCRATCH`` record.
        judgement: a ``JUDGEMENT`` record, written.
    """
    actions = distinct_actions(view)
    count = popcount(actions)
    rolled = min(worlds, _ROLLOUTS // count)
    _write_samples(rules, view, actions, worlds, rolled, tablebase, transpositions, scratch, judgement)
    samples = scratch.samples[: rolled * count]
    level = margin
    if not has_value:
        level = 0.0
        rest = actions
        for _ in range(count):
            level -= gains[lowest(rest)] / count
            rest &= rest - _ONE
        for i in range(samples.shape[0]):
            level += samples[i] / samples.shape[0]
    # Every action gets the deviations of all actions' rollouts: the actions then differ by their means, not by noise.
    rest = actions
    for place in range(count):
        expected = level + gains[lowest(rest)]
        rest &= rest - _ONE
        for i in range(place, samples.shape[0], count):
            samples[i] -= expected
    shift = _shift_to(samples, logistic(win_logit)) - level if has_value else 0.0
    last = lowest(actions)
    for action in range(NUM_ACTIONS):
        judgement.margins[action] = level + gains[action]
        if not view.legal >> np.uint64(action) & _ONE:
            judgement.wins[action] = judgement.own[action] = judgement.other[action] = np.nan
            continue
        last = action if actions >> np.uint64(action) & _ONE else last
        judgement.trick[action] = judgement.trick[last]  # equivalent cards win alike
        judgement.wins[action] = _mean_win(samples, shift + judgement.margins[action])
        _write_tricks(rules, view, samples, shift, action, judgement)

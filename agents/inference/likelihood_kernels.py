"""Likelihood of the opponent's plays in sampled deals: replay along the history, weighting, and resampling."""

from __future__ import annotations

import numpy as np

from german_whist.agents.bots.heuristic.bot_kernels import heuristic_action
from german_whist.agents.inference.deck_sampling_kernels import sample_deal, sample_deal_of_hand, uniform
from german_whist.agents.inference.world_sampling_kernels import OPPONENT, SELF
from german_whist.agents.policy.row_network import is_network, probability, write_logits
from german_whist.game.state_kernels import deal, is_legal, legal_actions, play
from german_whist.game.utils.bit_kernels import popcount
from german_whist.game.utils.jit import kernel
from german_whist.simulator.observation.history_kernels import action_told
from german_whist.simulator.observation.view_kernels import write_view

NETWORK, HEURISTIC, UNIFORM = 0, 1, 2  # opponent models
MODELS = 3

_BISECTIONS = 30
_RESAMPLING = 2**40  # takes the place of a deal's number in the address of the random numbers that pick worlds
_ONE = np.uint64(1)
_MIX = np.uint64(0x9E37_79B9_7F4A_7C15)  # Fibonacci hashing spreads hands over the slots of the hash table


@kernel
def add_log_likelihoods(rules, tokens, network, noise, count, scratch, log_likelihoods):
    """Add the log-likelihoods of the opponent's actions in some deals, and return whether all actions are legal.

    The deals are replayed side by side. At one point of the history, the opponent's view differs between them in
    its hand only, so the models are evaluated once per distinct hand.

    Args:
        rules: the rules, a ``RULES_RECORD`` record.
        tokens: the history, int8[events, 4].
        network: a :class:`RowNetwork`.
        noise: float64[3]: the network's temperature in tricks, and the probabilities with which the network and the
            heuristic bot play a uniformly random legal action instead.
        count: number of deals.
        scratch: a :class:`ReplayScratch` with the states as dealt; changed.
        log_likelihoods: float64[count, 3], added to.
    """
    states, choices, _, logs, _ = scratch
    event = 0  # the next one to read
    while True:
        # The history fixes who acts, so a deal in which another seat is to act does not agree with it.
        turn, action = states[0].turn, np.int64(-1)
        while action < 0 and event < tokens.shape[0]:
            action = action_told(states[0].decision, tokens[event])
            event += 1
        for i in range(count):
            if states[i].done or states[i].turn != turn or (action >= 0 and not is_legal(states[i], action)):
                return False
        if action < 0:  # the history ends at a decision of the seat that it belongs to
            return turn == SELF
        if turn == OPPONENT:
            _write_logs(rules, network, noise, action, _number_choices(count, scratch), scratch)
            for i in range(count):
                if choices[i] >= 0:
                    for model in range(MODELS):
                        log_likelihoods[i, model] += logs[choices[i], model]
        for i in range(count):
            play(rules, states[i], action)


@kernel
def _number_choices(count, scratch):
    """Index the opponent's distinct decisions, one per hand that leaves a choice, and return how many there are."""
    states, choices, firsts, _, table = scratch
    # A hash table of hands with linear probing; −1 marks a free slot. It has twice as many slots as there are deals.
    table[:] = -1
    found = np.int64(0)
    for i in range(count):
        legal = legal_actions(states[i])
        choices[i] = -1
        if legal & (legal - _ONE):  # a forced action has likelihood 1 under every model
            hand = states[i].hands[OPPONENT]
            slot = np.int64((hand * _MIX) >> np.uint64(40)) % table.shape[0]
            while table[slot] >= 0 and states[firsts[table[slot]]].hands[OPPONENT] != hand:
                slot = (slot + 1) % table.shape[0]
            if table[slot] < 0:
                table[slot], firsts[found] = found, i
                found += 1
            choices[i] = table[slot]
    return found


@kernel
def _write_logs(rules, network, noise, action, count, scratch):
    """Write the log-likelihoods of an action in the first ``count`` distinct decisions."""
    states, _, firsts, logs, _ = scratch
    views = network.views
    for begin in range(0, count, views.shape[0]):
        rows = min(count - begin, views.shape[0])
        for row in range(rows):
            write_view(rules, states[firsts[begin + row]], OPPONENT, views[row])
        if is_network(network):
            write_logits(network, rows)
        for row in range(rows):
            share = 1.0 / popcount(views[row].legal)
            logs[begin + row, UNIFORM] = np.log(share)
            chosen = 1.0 if heuristic_action(views[row]) == action else 0.0
            logs[begin + row, HEURISTIC] = np.log((1.0 - noise[2]) * chosen + noise[2] * share)
            logs[begin + row, NETWORK] = 0.0
            if is_network(network):
                chosen = probability(network, row, action, noise[0])
                logs[begin + row, NETWORK] = np.log((1.0 - noise[1]) * chosen + noise[1] * share)


@kernel
def sample_candidates(
    rules, tokens, hidden, deals, listed, key, first, last, network, noise, scratch, hands, log_likelihoods
):
    """Sample deals ``first`` … ``last`` − 1, and write the opponent's hidden cards and its plays' log-likelihoods.

    Args:
        rules: the rules, ``RULES_RECORD`` array (1,).
        tokens: the history, int8[events, 4].
        hidden: what it tells, ``HIDDEN_DEAL`` array (1,).
        deals: from ``count_deals``.
        listed: hands that the opponent can hold, uint64[n], which the deals take in turn; if empty, hands are sampled.
        key: random key.
        first: first deal.
        last: the deal after the last.
        network: a :class:`RowNetwork`.
        noise: see :func:`add_log_likelihoods`.
        scratch: a :class:`ReplayScratch`.
        hands: uint64[candidates], written.
        log_likelihoods: float64[candidates, 3], written.

    Returns:
        Whether every deal agrees with the history.
    """
    size = hands.shape[0]
    states = scratch.states
    for begin in range(first, last, states.shape[0]):
        count = min(last - begin, states.shape[0])
        for i in range(count):
            number, deck = begin + i, states[i].deck
            if listed.shape[0]:
                hands[number] = listed[number % listed.shape[0]]
                sample_deal_of_hand(hidden[0], deals[0], hands[number], key, number, np.int64(1), deck)
            else:
                hands[number] = sample_deal(hidden[0], deals, key, number, size, deck)
            deal(rules[0], states[i], SELF if hidden[0].is_dealer else OPPONENT)
        written = log_likelihoods[begin : begin + count]
        written[:] = 0.0
        if not add_log_likelihoods(rules[0], tokens, network, noise, count, scratch, written):
            return False
    return True


@kernel
def write_posterior(log_likelihoods, prior, joint):
    """Write the joint posterior of deal and opponent model, float64[deals, models].

    The opponent follows the same model for the whole deal. Deals are equally likely a priori, unless the
    log-likelihoods include the logarithms of their priors.

    Args:
        log_likelihoods: float64[deals, models].
        prior: prior probabilities of the models, float64[models]; a model with 0 is left out.
        joint: float64[deals, models], written; its entries add up to 1.
    """
    # Relative to the largest logarithm, so that the exponentials neither overflow nor all vanish.
    best = -np.inf
    for number in range(log_likelihoods.shape[0]):
        for model in range(log_likelihoods.shape[1]):
            joint[number, model] = log_likelihoods[number, model] + np.log(prior[model])
            best = max(best, joint[number, model])
    total = 0.0
    for number in range(log_likelihoods.shape[0]):
        for model in range(log_likelihoods.shape[1]):
            joint[number, model] = np.exp(joint[number, model] - best)
            total += joint[number, model]
    for number in range(log_likelihoods.shape[0]):
        for model in range(log_likelihoods.shape[1]):
            joint[number, model] /= total


@kernel
def _size_at(weights, exponent):
    """Return the effective sample size of ``weights ** exponent``."""
    total = squares = 0.0
    for i in range(weights.shape[0]):
        weight = weights[i] ** exponent
        total += weight
        squares += weight * weight
    return total * total / squares


@kernel
def effective_sample_size(weights):
    """Return (Σw)² / Σw² (Kish, "Survey Sampling", 1965)."""
    return _size_at(weights, 1.0)


@kernel
def temper(weights, at_least):
    """Raise weights to the largest power up to 1 with at least some effective sample size, and normalise them.

    Args:
        weights: float64[n], none negative; changed in place.
        at_least: the least effective sample size.
    """
    exponent = 1.0
    if _size_at(weights, 1.0) < at_least:
        low, high = 0.0, 1.0
        for _ in range(_BISECTIONS):
            exponent = (low + high) / 2
            if _size_at(weights, exponent) < at_least:
                high = exponent
            else:
                low = exponent
        exponent = low  # the end that keeps the size
    total = 0.0
    for i in range(weights.shape[0]):
        weights[i] = weights[i] ** exponent
        total += weights[i]
    for i in range(weights.shape[0]):
        weights[i] /= total


@kernel
def _stride(worlds):
    """Return a stride coprime to the number of worlds and near 0.618 of it, so that the first steps spread evenly."""
    stride = max(1, np.int64(0.618 * worlds))
    while True:
        a, b = stride, np.int64(worlds)
        while b:
            a, b = b, a % b
        if a == 1:
            return stride
        stride += 1


@kernel
def resample(weights, joint, key, chosen, models):
    """Draw worlds by systematic resampling, and an opponent model for each.

    Systematic resampling: Kitagawa, "Monte Carlo filter and smoother for non-Gaussian nonlinear state space models",
    1996. It draws copies and neighbours one after the other; these are placed far apart, because searches use the first
    worlds before the others.

    Args:
        weights: float64[candidates], normalised.
        joint: float64[candidates, models], from :func:`write_posterior`.
        key: random key.
        chosen: int64[worlds], written: the candidate of each world.
        models: int64[worlds], written: the opponent model of each world.
    """
    worlds = chosen.shape[0]
    stride = _stride(worlds)
    start = uniform(key, _RESAMPLING, 0)
    candidate = 0
    total = weights[0]
    for world in range(worlds):
        threshold = (world + start) / worlds
        while total < threshold and candidate + 1 < weights.shape[0]:
            candidate += 1
            total += weights[candidate]
        row = world * stride % worlds
        chosen[row] = candidate
        share = 0.0
        for model in range(joint.shape[1]):
            share += joint[candidate, model]
        number = uniform(key, _RESAMPLING, world + 1) * share
        model = np.int64(0)
        while model + 1 < joint.shape[1] and number >= joint[candidate, model]:
            number -= joint[candidate, model]
            model += 1
        models[row] = model

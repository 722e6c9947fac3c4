"""What the page calls: functions over addresses, which ``make kernels`` compiles to WebAssembly.

An address is that of a record in the page's memory, whose layout is a dtype here; the modules carry the layouts. Loops
over many states are functions of their own: copying records to JavaScript and back would cost more than they do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import from_dtype, types

from german_whist.agents.bots import greedy_kernels
from german_whist.agents.bots.heuristic.bot_kernels import heuristic_action
from german_whist.agents.endgame.open_hands_kernels import (
    MARGIN_ROWS,
    is_opponent_hand_known,
    perfect_card,
    write_exact_margins,
)
from german_whist.agents.inference.suit_lengths import write_lengths
from german_whist.agents.inference.world_sampling_kernels import (
    HAND_COUNTS,
    MAX_HAND,
    count_hands,
)
from german_whist.agents.judge_kernels import (
    JUDGE_SCRATCH,
    JUDGEMENT,
    MAX_WORLDS,
    judge_by_network,
    margin_by_rules,
    play_foreplay,
    write_world,
)
from german_whist.agents.policy.input_kernels import UNIVERSAL_BLOCKS, write_universal
from german_whist.agents.policy.network.forward import ForwardScratch, PackedNetwork
from german_whist.agents.policy.network.forward_kernels import write_outputs
from german_whist.agents.policy.network.layers import suit_inputs
from german_whist.game.cards import NUM_ACTIONS, NUM_CARDS, SUIT_SIZE
from german_whist.game.dealing_kernels import shuffle
from german_whist.game.rules import RULES_RECORD
from german_whist.game.scoring import seat_return as return_of_seat
from german_whist.game.state import STATE
from german_whist.game.state_kernels import beats, counted_tricks, is_legal, legal_actions
from german_whist.game.state_kernels import deal as deal_deck
from german_whist.game.state_kernels import play as play_action
from german_whist.game.utils.bit_kernels import intrinsic, lowest
from german_whist.game.utils.jit import kernel
from german_whist.simulator.observation.canonical_kernels import RELABELING_SIZE, decode_action, relabel_view
from german_whist.simulator.observation.history import COLUMNS
from german_whist.simulator.observation.history_kernels import write_history
from german_whist.simulator.observation.view_kernels import write_view
from german_whist.simulator.observation.views import VIEW
from german_whist.solver.search.transposition_table import RaceTranspositionTable, TranspositionTable
from german_whist.solver.tablebase.ranking import Ranking
from german_whist.solver.tablebase.tablebase_file import Tablebase

MAX_EVENTS = 256  # longest history of any game
MAX_ACTIONS = 128  # no deal of any game has more
MAX_LAYERS = 8  # deepest network
MAX_WEIGHTS, MAX_UNITS, MAX_INPUTS = 874_784, 384, 1025  # numbers in all its layers, units and inputs + 1 of one

_SLOTS, _RACE_SLOTS = 1 << 20, 1 << 18  # many, as there is no tablebase
_ONE = np.uint64(1)
_INPUTS = sum(block.size for block in UNIVERSAL_BLOCKS)
_SUIT_INPUTS = suit_inputs(_INPUTS)
_SUITS = NUM_CARDS // SUIT_SIZE

# The order of the cards in a history that a deal begins with is that of the deck.
DEAL = np.dtype([("actions", np.int8, (MAX_ACTIONS,)), ("tokens", np.int8, (MAX_EVENTS, len(COLUMNS)))], align=True)
BELIEF = np.dtype(
    [("before", np.float64, (2, MAX_HAND + 1)), ("expected", np.float64, (4,)), ("void", np.float64, (4,))], align=True
)
NETWORK = np.dtype(  # a ``PackedNetwork``
    [
        ("layers", np.int64, (MAX_LAYERS, 3)),
        ("num_layers", np.int64),
        ("suit_layers", np.int64),
        ("card_layers", np.int64),
        ("outputs", np.int64),
        ("logits_per_trick", np.float64),  # scale of the logits, which are action values
        ("rank_by_unplayed", np.int64),  # 1 if ranks are counted among the unplayed cards
        ("memory", np.float32, (MAX_WEIGHTS,)),
    ],
    align=True,
)
EVALUATION = np.dtype(  # what a network says of a decision, and scratch memory
    [
        ("advantages", np.float64, (NUM_ACTIONS,)),  # each action's in tricks of margin; NaN if it is not legal
        ("margin", np.float64),  # estimate of its value network
        ("win_logit", np.float64),
        ("canonical", VIEW, (1,)),
        ("relabeling", np.int8, (RELABELING_SIZE,)),
        ("inputs", np.int8, (1, _INPUTS)),
        ("suits", np.int8, _SUIT_INPUTS.shape),
        ("indices", np.int64, (MAX_INPUTS,)),
        ("units", np.float32, (4, _SUITS * MAX_UNITS)),
        ("outputs", np.float32, (1, NUM_ACTIONS)),
    ],
    align=True,
)
SOLVER = np.dtype(  # transposition tables of one kind of game, and a tablebase of no cards
    [
        ("keys", np.uint64, (_SLOTS,)),
        ("race_keys", np.uint64, (_RACE_SLOTS,)),
        ("bounds", np.uint8, (_SLOTS,)),
        ("race_bounds", np.int8, (_RACE_SLOTS, 2)),
        ("kind", np.int64),
        ("digits", np.uint32, (2, 2)),
        ("block_entries", np.int32, (1, 1, 1, 1)),
        ("sub_block_starts", np.int64, (1,)),
        ("values", np.uint8, (1,)),
        ("scratch", np.int8, (MARGIN_ROWS, NUM_CARDS)),
        ("margins", np.int8, (NUM_CARDS,)),  # margin of the whole deal, by card
    ],
    align=True,
)
ROLLOUTS = np.dtype(
    [
        ("margins", np.int8, (MAX_WORLDS,)),
        ("blinds", np.int8, (NUM_CARDS,)),
    ],
    align=True,
)
RECORDS = {
    "rules": RULES_RECORD,
    "state": STATE,
    "view": VIEW,
    "deal": DEAL,
    "handCounts": HAND_COUNTS,
    "belief": BELIEF,
    "network": NETWORK,
    "evaluation": EVALUATION,
    "solver": SOLVER,
    "rollouts": ROLLOUTS,
    "judgement": JUDGEMENT,
    "judgeScratch": JUDGE_SCRATCH,
}

_ADDRESS = {name: types.CPointer(from_dtype(dtype)) for name, dtype in RECORDS.items()}
_RULES, _STATE, _VIEW = _ADDRESS["rules"], _ADDRESS["state"], _ADDRESS["view"]
_COUNTS, _NETWORK, _SOLVER = _ADDRESS["handCounts"], _ADDRESS["network"], _ADDRESS["solver"]
_i32, _u64, _f64 = types.int32, types.uint64, types.float64

Function = Callable[..., Any]
# The functions of each module: the rules, which a page needs before the first card, and the bots, for its worker.
MODULES: dict[str, dict[Function, Any]] = {"rules": {}, "bots": {}}


def _entry(module: str, result: Any, *arguments: Any) -> Callable[[Function], Function]:
    """Return a decorator that makes a function part of a module."""

    def add(function: Function) -> Function:
        MODULES[module][function] = result(*arguments)
        return function

    return add


@intrinsic  # type: ignore[untyped-decorator]
def at(typing_context: Any, address: Any) -> Any:
    """Return the record at an address, which is what a record is to compiled code."""
    return address.dtype(address), lambda context, builder, signature, args: args[0]


@_entry("rules", types.void, _RULES, _STATE, _u64, _u64)
def write_deck(rules, state, seed, index):
    """Write the deck of a deal of a seed."""
    cards, count = at(rules).deck, 0
    while cards:
        at(state).deck[count] = lowest(cards)
        cards &= cards - _ONE
        count += 1
    shuffle(seed, index, at(state).deck[:count])


@_entry("rules", types.void, _RULES, _STATE, _i32)
def deal(rules, state, dealer):
    """Deal the state's deck."""
    deal_deck(at(rules), at(state), np.int64(dealer))


@_entry("rules", types.void, _RULES, _STATE, _i32)
def play(rules, state, action):
    """Play a legal action."""
    play_action(at(rules), at(state), np.int64(action))


@_entry("rules", _u64, _STATE)
def legal(state):
    """Return the legal actions as a mask."""
    return legal_actions(at(state))


@_entry("rules", _i32, _STATE, _i32)
def legality(state, action):
    """Return whether an action is legal."""
    return np.int32(is_legal(at(state), np.int64(action)))


@_entry("rules", types.void, _RULES, _STATE, _i32, _VIEW)
def see(rules, state, seat, view):
    """Write the view of a seat."""
    write_view(at(rules), at(state), np.int64(seat), at(view))


@_entry("rules", _i32, _VIEW)
def knows_opponent(view):
    """Return whether the opponent's hand is known in an endgame that can be solved."""
    return np.int32(is_opponent_hand_known(at(view)))


@_entry("rules", _f64, _RULES, _STATE, _i32)
def seat_return(rules, state, reward):
    """Return what seat 0 gets for a finished deal, by the number of the reward."""
    return return_of_seat(at(rules), at(state), np.int64(reward))


@_entry("rules", _i32, _RULES, _STATE, _i32)
def counted(rules, state, seat):
    """Return the counted tricks that a seat has taken."""
    return np.int32(counted_tricks(at(rules), at(state), np.int64(seat)))


@_entry("rules", _i32, _RULES, _STATE, _ADDRESS["deal"], _i32, _i32, _STATE)
def history(rules, state, record, count, seat, scratch):
    """Write what a seat saw of so many actions of a deal, and return the number of events."""
    actions, tokens = at(record).actions, at(record).tokens
    return np.int32(write_history(at(rules), at(state), actions, np.int64(count), np.int64(seat), at(scratch), tokens))


@_entry("rules", types.void, _RULES, _VIEW, _COUNTS, _ADDRESS["belief"])
def believe(rules, view, counts, belief):
    """Write the expected lengths of the opponent's suits, and the chances of voids."""
    at(belief).void[:] = 0.0
    found = at(belief)
    write_lengths(at(rules), at(view), at(counts), found.before, found.expected, found.void)


@_entry("bots", _i32, _VIEW)
def greedy(view):
    """Return the action of ``greedy``."""
    return np.int32(greedy_kernels.option_action(at(view)) if at(view).choice else greedy_kernels.greedy_card(at(view)))


@_entry("bots", _i32, _VIEW)
def heuristic(view):
    """Return the action of ``heuristic``."""
    return np.int32(heuristic_action(at(view)))


@kernel
def _write_network_outputs(network, evaluation):
    """Write a network's outputs for the inputs of an evaluation."""
    layers = network.layers[: network.num_layers]
    suits, cards, outputs = network.suit_layers, network.card_layers, network.outputs
    packed = PackedNetwork(network.memory, layers, suits, cards, _SUIT_INPUTS, outputs)
    units = evaluation.units
    scratch = ForwardScratch(evaluation.suits, evaluation.indices, units[0], units[1], units[2], units[3])
    write_outputs(packed, evaluation.inputs, scratch, evaluation.outputs[:, :outputs])


@kernel
def _evaluate(rules, view, policy, value, found):
    """Write what a network says of a decision, and return its action."""
    found.canonical[0] = view
    seen = found.canonical[0]
    relabel_view(view, seen, found.relabeling, policy.rank_by_unplayed != 0)
    write_universal(rules, seen, found.inputs[0])
    _write_network_outputs(policy, found)
    logits, best, rest = found.outputs[0], lowest(seen.legal), seen.legal
    while rest:
        action = lowest(rest)
        rest &= rest - _ONE
        if logits[action] > logits[best]:
            best = action
    found.advantages[:] = np.nan
    rest = seen.legal
    while rest:
        action = lowest(rest)
        rest &= rest - _ONE
        below = np.float64(logits[action] - logits[best])
        found.advantages[decode_action(action, found.relabeling)] = below / policy.logits_per_trick
    if value.num_layers:
        _write_network_outputs(value, found)
        found.margin, found.win_logit = np.float64(found.outputs[0, 0]), np.float64(found.outputs[0, 1])
    return decode_action(best, found.relabeling)


@_entry("bots", _i32, _RULES, _VIEW, _NETWORK, _NETWORK, _ADDRESS["evaluation"])
def evaluate(rules, view, policy, value, evaluation):
    """Write what a network says of a decision, and return its action; ``value`` has no layers if there is none."""
    return np.int32(_evaluate(at(rules), at(view), at(policy), at(value), at(evaluation)))


@kernel
def _tables(solver, trump, low):
    """Return a tablebase of no cards and the transposition tables, emptied if they hold another kind of game."""
    kind = 1 + 2 * (trump >= 0) + low
    if solver.kind != kind:
        solver.kind = kind
        solver.keys[:] = np.uint64(0)
        solver.race_keys[:] = np.uint64(0)
    ranking = Ranking(solver.digits, solver.block_entries, solver.sub_block_starts)
    plain = TranspositionTable(solver.keys, solver.bounds)
    tables = RaceTranspositionTable(solver.race_keys, solver.race_bounds, plain)
    return Tablebase(ranking, solver.values, np.int64(0), trump >= 0, low != 0), tables


@_entry("bots", types.void, _VIEW, _SOLVER)
def solve_cards(view, solver):
    """Write the margin of the whole deal for each card of an open endgame, with perfect play afterwards."""
    tablebase, tables = _tables(at(solver), np.int64(at(view).trump), np.int64(at(view).low))
    write_exact_margins(tablebase, tables, at(view), at(solver).margins)


@_entry("bots", _i32, _VIEW, _SOLVER)
def best_card(view, solver):
    """Return the perfect card of an open endgame."""
    tablebase, tables = _tables(at(solver), np.int64(at(view).trump), np.int64(at(view).low))
    return np.int32(perfect_card(tablebase, tables, at(view), at(solver).scratch))


@_entry("bots", types.void, _RULES, _VIEW, _COUNTS, _i32, _i32, _STATE, _VIEW, _ADDRESS["rollouts"])
def roll_out(rules, view, counts, action, worlds, state, seen, rollouts):
    """Write the margins of an action in worlds in which the heuristic bot plays on, and rules of thumb the endgame.

    Args:
        rules: the rules.
        view: the view of the seat to act.
        counts: scratch.
        action: the action.
        worlds: number of worlds, at most ``MAX_WORLDS``.
        state: scratch.
        seen: scratch.
        rollouts: written.
    """
    record, world, found = at(rules), at(state), at(rollouts)
    count_hands(record, at(view), at(counts))
    for number in range(worlds):
        write_world(record, at(view), at(counts), np.uint64(number), world, found.blinds)
        play_action(record, world, np.int64(action))
        play_foreplay(record, world, at(seen))
        found.margins[number] = margin_by_rules(record, world)


@_entry(
    "bots",
    *(_i32, _RULES, _VIEW, _NETWORK, _NETWORK, _ADDRESS["evaluation"], _i32),
    *(_SOLVER, _ADDRESS["judgeScratch"], _ADDRESS["judgement"]),
)
def judge(rules, view, policy, value, evaluation, worlds, solver, scratch, judgement):
    """Write what the judge ``network`` says of a decision, and return its choice; arguments as in ``evaluate``."""
    best = _evaluate(at(rules), at(view), at(policy), at(value), at(evaluation))
    tablebase, tables = _tables(at(solver), np.int64(at(view).trump), np.int64(at(view).low))
    found = at(evaluation)
    judge_by_network(
        at(rules),
        at(view),
        found.advantages,
        at(value).num_layers > 0,
        found.margin,
        found.win_logit,
        np.int64(worlds),
        tablebase,
        tables,
        at(scratch),
        at(judgement),
    )
    return np.int32(best)


@_entry("bots", _i32, _RULES, _VIEW, _COUNTS, _i32, _i32, _STATE, _VIEW, _ADDRESS["rollouts"])
def count_won(rules, view, counts, card, worlds, state, seen, rollouts):
    """Return in how many worlds a card wins the trick, led against the heuristic bot; arguments as in ``roll_out``."""
    record, world, won = at(rules), at(state), 0
    if at(view).led >= 0:
        return np.int32(worlds if beats(np.int64(card), np.int64(at(view).led), np.int64(at(view).trump)) else 0)
    count_hands(record, at(view), at(counts))
    for number in range(worlds):
        write_world(record, at(view), at(counts), np.uint64(number), world, at(rollouts).blinds)
        play_action(record, world, np.int64(card))
        write_view(record, world, np.int64(world.turn), at(seen))
        won += not beats(np.int64(heuristic_action(at(seen))), np.int64(card), np.int64(at(view).trump))
    return np.int32(won)

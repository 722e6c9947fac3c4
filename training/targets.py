"""Targets of a rollout: action values for the actor, and Watkins's Q(lambda) returns for the value network.

``train`` has the formulas.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import torch
from torch import Tensor

from german_whist.agents.bots.base import RuleBot
from german_whist.agents.bots.random import RandomBot
from german_whist.agents.endgame.exact_agent import ExactEndgame
from german_whist.agents.policy.agent import PolicyAgent
from german_whist.envs.agent import Agent
from german_whist.envs.engine.state import STATE
from german_whist.envs.observation.views import VIEW
from german_whist.envs.utils.device import Device, StructTensor
from german_whist.solver.search.transposition_table import race_transposition_table
from german_whist.solver.tablebase.cache import open_complete_table, open_table
from german_whist.solver.tablebase.endgame_table import EndgameTable
from german_whist.training.config import POOL, PolicyIterationConfig
from german_whist.training.lookahead_kernels import (
    DECODED,
    NEEDS_ANSWER,
    NEEDS_REPLY,
    NEEDS_SOLUTION,
    NEEDS_VALUE,
    Lookaheads,
    begin_lookaheads,
    solve_states,
    take_answers,
    take_replies,
    take_solutions,
    write_q_targets,
    write_slots,
)
from german_whist.training.rollout_kernels import watkins_q_lambda
from german_whist.training.rollouts import Collector, Network

_FEWEST_SOLVED = 64  # endgames that are worth a thread


class ActionValueTargets:
    """Computes the targets of a rollout: the value of every action in the learner's positions, and the returns.

    Each action is tried in the true deal and followed to later decisions of the same seat, where the value network
    replaces the rest of the deal. On the way, the seat itself plays by the distilled network. The other seat replies
    by the distilled network, too, in self-play and in the place of pool members and of agents that search or run
    elsewhere; other opponents, rule bots and networks, reply themselves.

    Lookaheads are numbered by environment, action and rotation, and stored without gaps. Flags say which of them wait
    for a network, an opponent or the solver, so results do not depend on the order of work, on a CPU or a GPU.

    Attributes:
        q_targets: float32[steps, envs, actions], by canonical action: the expected final margin of counted tricks for
            the seat to act, in tricks; 0 for illegal actions, and where there are no targets.
        returns: float32[steps, envs], targets of the value network, in tricks; see :func:`watkins_q_lambda`.
        mask: bool[steps, envs], where there are targets: where the learner had a choice.
    """

    def __init__(self, collector: Collector, config: PolicyIterationConfig) -> None:
        """Allocate the targets of a collector's rollouts, with the settings of ``config``."""
        self._collector = collector
        self._settings = config
        batch, device, shape = collector.batch, collector.device, collector.rollout.actions.shape
        self.q_targets = device.zeros((*shape, collector.num_actions), "float32")
        self.returns = device.zeros(tuple(shape), "float32")
        self.mask = device.zeros(tuple(shape), "bool")
        self._greedy = device.zeros(tuple(shape), "int64")
        most_actions = max(batch.rules.hand, batch.rules.open_stock, 2)
        self._most = config.stock_rotations
        room = batch.size * most_actions * self._most
        self._slots = device.zeros((batch.size, most_actions), "int64").view(torch.uint64)
        self._rotations = device.zeros(batch.size, "int64")
        self._totals = device.zeros(room, "float64")  # indexed by number, so with gaps where no action was tried
        self._lookaheads = Lookaheads(
            states=device.zeros(room, STATE),
            envs=device.zeros(room, "int64"),
            seats=device.zeros(room, "int8"),
            decisions_left=device.zeros(room, "int8"),
            totals=device.zeros(room, "float64"),
            needs=device.zeros(room, "int8"),
            views=device.zeros(room, VIEW),
            relabeling=device.zeros((room, DECODED), "int8"),
        )
        self._every_rotation = torch.arange(self._most, device=device.torch_device)
        self._high, self._low = _tables(collector)
        self._solver = _EndgameSolver(batch.rules.game, self._high, self._low, config.threads)

    def compute(self, step: int, reply: Network, value: Network, lookahead: int) -> None:
        """Compute the action-value targets of a step: try every action wherever the learner has a choice.

        Args:
            step: the step of the rollout; its actions have been chosen but not played.
            reply: logits of the distilled network, float32[rows, actions], for observations int8[rows, features]; the
                best action is played.
            value: expected final margin of the seat to act, in tricks, float32[rows, 1], for the same observations.
            lookahead: number of own decisions at which values are averaged.
        """
        rollout = self._collector.rollout
        self.mask[step] = rollout.learner_mask[step] & rollout.has_choice[step]
        self._greedy[step] = rollout.logits[step].masked_fill(~rollout.masks[step], -torch.inf).argmax(1)
        self._look_ahead(step, rollout.learner_mask[step], reply, value, lookahead)

    def write_returns(self) -> None:
        """Compute the returns, once the rollout has been played."""
        rollout = self._collector.rollout
        self._collector.device.launch(
            watkins_q_lambda,
            self._collector.batch.size,
            self.q_targets,
            self._greedy,
            rollout.actions,
            rollout.seats,
            rollout.ends,
            self.mask,
            np.float32(self._settings.value_lambda),
            self.returns,
        )

    def _look_ahead(self, step: int, wanted: Tensor, reply: Network, value: Network, lookahead: int) -> None:
        """Write the action-value targets of the environments selected by ``wanted``, bool[envs]."""
        collector, device, most = self._collector, self._collector.device, self._most
        game, envs, states = collector.batch.rules.game, collector.batch.size, collector.states
        slots, rotations, lookaheads = self._slots, self._rotations, self._lookaheads
        scale, answers = float(self._settings.margin_tanh_scale), self._answers()
        shared = answers, self._high, self._low, scale, lookaheads
        rng = np.random.default_rng((collector.seed, collector.rank, collector.rollouts, step))

        device.launch(write_slots, envs, game, states, wanted, most, slots, rotations)
        is_tried = (slots.view(torch.int64) != 0)[:, :, None] & (self._every_rotation < rotations[:, None, None])
        numbers = is_tried.flatten().nonzero().squeeze(1)
        count = len(numbers)
        device.launch(begin_lookaheads, count, game, states, numbers, slots, rotations, most, lookahead, *shared)
        needs = lookaheads.needs[:count]
        while True:
            solving, valued, replying, answering = (
                (needs & flag).nonzero().squeeze(1) for flag in (NEEDS_SOLUTION, NEEDS_VALUE, NEEDS_REPLY, NEEDS_ANSWER)
            )
            if len(solving):
                margins = self._solver.margins(_rows(lookaheads.states, solving), device)
                device.launch(take_solutions, len(solving), solving, margins, scale, lookaheads)
            if len(valued):
                features = collector.features(_rows(lookaheads.views, valued))
                lookaheads.totals[valued] += value(features)[:, 0]
                lookaheads.decisions_left[valued] -= 1
                needs[valued] &= ~NEEDS_VALUE
            if len(replying):
                logits = reply(collector.features(_rows(lookaheads.views, replying)))
                device.launch(take_replies, len(replying), game, replying, logits, *shared)
            if len(answering):
                actions = self._answered(answering, rng)
                device.launch(take_answers, len(answering), game, answering, actions, *shared)
            if not len(replying) and not len(answering):
                break
        self._totals[numbers] = lookaheads.totals[:count]
        device.launch(
            write_q_targets,
            envs,
            self._totals,
            slots,
            rotations,
            most,
            lookahead,
            collector.relabeling,
            self.q_targets[step],
        )

    def _answers(self) -> Tensor:
        """Return whether the opponent itself replies in lookaheads, bool[envs]."""
        collector = self._collector
        named = zip(collector.opponent_names, collector.opponents, strict=True)
        answering = [*(name != POOL and _answers(opponent) for name, opponent in named), False]
        # The last entry is for index −1, self-play.
        return torch.tensor(answering, device=collector.device.torch_device)[collector.opponent_of]

    def _answered(self, rows: Tensor, rng: np.random.Generator) -> Tensor:
        """Return the opponents' actions in the lookaheads ``rows``, int64[n]."""
        collector = self._collector
        asked = collector.opponent_of[self._lookaheads.envs[rows]]
        actions = torch.zeros_like(rows)
        for number, opponent in enumerate(collector.opponents):
            own = (asked == number).nonzero().squeeze(1)
            if len(own):
                actions[own] = opponent.act_on(collector.device, _rows(self._lookaheads.views, rows[own]), rng)
        return actions


def _rows(records: StructTensor, rows: Tensor) -> StructTensor:
    return StructTensor(records.bytes[rows], records.dtype)


def _tables(collector: Collector) -> tuple[EndgameTable, EndgameTable]:
    """Return the endgame tables for deals played high and low; on a GPU complete ones, so only races are searched."""
    played = collector.batch.rules
    find = open_complete_table if collector.device.is_gpu and not played.race else open_table
    has_trump = played.trump != "none"
    high = find(has_trump, False)
    return high, find(has_trump, True) if played.high_low else high


def _answers(opponent: Agent) -> bool:
    """Return whether an opponent itself replies in lookaheads: rule bots and networks take only microseconds a view."""
    plays = opponent.agent if isinstance(opponent, ExactEndgame) else opponent
    return isinstance(plays, (RuleBot, RandomBot, PolicyAgent))


class _EndgameSolver:
    """Solves endgames that no table holds by search on the CPU, in several threads if there are many."""

    def __init__(self, game: np.ndarray[Any, Any], high: EndgameTable, low: EndgameTable, threads: int) -> None:
        self._game, self._tables = game, (high, low)
        self._threads = threads or torch.get_num_threads()
        self._transpositions = [race_transposition_table() for _ in range(self._threads)]
        self._executor = ThreadPoolExecutor(self._threads)

    def margins(self, states: StructTensor, device: Device) -> Tensor:
        """Return seat 0's final margin of each deal with perfect play, int64[n]."""
        on_host = states.bytes.cpu().numpy().view(STATE)[:, 0]
        found = np.empty(len(on_host), np.int64)
        parts = min(self._threads, -(-len(found) // _FEWEST_SOLVED))

        def solve(part: int) -> None:
            rows = slice(part * len(found) // parts, (part + 1) * len(found) // parts)
            solve_states(self._game, on_host[rows], *self._tables, self._transpositions[part], found[rows])

        list(self._executor.map(solve, range(parts)))
        return torch.from_numpy(found).to(device.torch_device)

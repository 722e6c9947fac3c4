"""Targets of a rollout: action values for the actor, and Watkins's Q(lambda) returns for the value network.

``trainer`` has the formulas.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from german_whist.agents.asking import ask
from german_whist.agents.base import Agent
from german_whist.agents.bots.base import RuleBot
from german_whist.agents.bots.random import RandomBot
from german_whist.agents.endgame.exact_agent import ExactEndgame
from german_whist.agents.policy.agent import PolicyAgent
from german_whist.simulator.decisions import Decisions
from german_whist.simulator.observation.views import VIEW
from german_whist.solver.search.transposition_table import race_transposition_table
from german_whist.solver.tablebase.cache import open_complete_tablebase, open_tablebase
from german_whist.solver.tablebase.tablebase_file import Tablebase
from german_whist.training.config import POOL
from german_whist.training.policy_iteration.collector import Collector, Network
from german_whist.training.policy_iteration.config import PolicyIterationConfig
from german_whist.training.policy_iteration.lookahead_kernels import (
    LOOKAHEAD,
    NUM_AWAITED,
    add_values,
    apply_opponent_actions,
    apply_policy_actions,
    begin_lookaheads,
    end_with_margins,
    end_with_tablebase,
    solve_states,
    write_groups,
    write_q_targets,
)
from german_whist.training.policy_iteration.return_kernels import watkins_q_lambda

_FEWEST_SOLVED = 64  # endgames that are worth a thread


class ActionValueTargets:
    """Computes the targets of a rollout: the value of every action in the learner's positions, and the returns.

    Each action is tried in the true deal and followed to later decisions of the same seat, where the value network
    replaces the rest of the deal. On the way, the seat itself plays by the rollout policy. The other seat replies
    by the rollout policy, too, in self-play and in the place of pool members and of agents that search or run
    elsewhere; other opponents, rule bots and networks, reply themselves.

    Each environment, action and rotation has a lookahead, whose status says what it waits for: a network, an opponent
    or the margin of an endgame. So results do not depend on the order of work, on a CPU or a GPU.

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
        max_actions = max(batch.rules.hand, batch.rules.open_stock, 2)
        room = batch.size * max_actions * config.stock_rotations
        self._groups = device.zeros((max_actions, batch.size), "uint64")
        self._rotations = device.zeros(batch.size, "int64")
        self._status = device.zeros(room, "int8")
        self._views = device.zeros(room, VIEW)
        self._lookaheads = device.zeros(room, LOOKAHEAD)
        self._opponent_replies = device.zeros(batch.size, "bool")
        self._tables = _tables(collector)
        self._known_cards = -1 if batch.rules.race else min(tablebase.cards for tablebase in self._tables)
        self._solve = _EndgameSolver(batch.rules.record, self._tables, config.threads)

    def compute(self, step: int, reply: Network, value: Network, lookahead: int) -> None:
        """Compute the action-value targets of a step: try every action wherever the learner has a choice.

        Args:
            step: the step of the rollout; its actions have been chosen but not played.
            reply: logits of the rollout policy, float32[rows, actions], for observations int8[rows, features]; the
                best action is played.
            value: expected final margin of the seat to act, in tricks, float32[rows, 1], for the same observations.
            lookahead: number of own decisions at which values are averaged.
        """
        if step == 0:
            self._opponent_replies = self._opponents_that_reply()
        self.look_ahead(step, self._collector.steps[step].learner_mask, reply, value, lookahead)

    def write_returns(self) -> None:
        """Compute the returns, once the rollout has been played."""
        collector, rollout = self._collector, self._collector.rollout
        torch.logical_and(rollout.learner_mask, rollout.several_legal, out=self.mask)
        collector.device.launch(
            watkins_q_lambda,
            collector.batch.size,
            self.q_targets,
            rollout.logits,
            rollout.masks,
            rollout.actions,
            rollout.seats,
            rollout.ends,
            self.mask,
            np.float32(self._settings.value_lambda),
            self.returns,
        )

    def look_ahead(self, step: int, wanted: Tensor, reply: Network, value: Network, lookahead: int) -> None:
        """Write the action-value targets of the environments selected by ``wanted``, bool[envs]."""
        collector, settings = self._collector, self._settings
        launch, states = collector.device.launch, collector.states
        record, envs = collector.batch.rules.record, collector.batch.size
        groups, rotations, status, lookaheads = self._groups, self._rotations, self._status, self._lookaheads
        views, scale = self._views, float(settings.margin_tanh_scale)
        shared = self._known_cards, scale, status, views, lookaheads
        rng = np.random.default_rng((collector.seed, collector.rank, collector.rollouts, step))

        launch(write_groups, envs, record, states, wanted, settings.stock_rotations, groups, rotations)
        begun = record, states, groups, rotations, lookahead, self._opponent_replies
        launch(begin_lookaheads, len(status), *begun, *shared)
        while True:
            of_policy, of_both, of_opponents, valued, known, searched = collector.device.rows_by_code(
                status, NUM_AWAITED
            )
            for rows, has_value in ((of_policy, False), (of_both, True)):
                if len(rows):
                    features = collector.features(views, rows)
                    if has_value:
                        launch(add_values, len(rows), rows, value(features), lookaheads)
                    launch(apply_policy_actions, len(rows), record, rows, reply(features), *shared)
            if len(of_opponents):
                actions = self._opponent_actions(of_opponents, rng)
                launch(apply_opponent_actions, len(of_opponents), record, of_opponents, actions, *shared)
            if not len(of_policy) + len(of_both) + len(of_opponents):
                break
        if len(valued):
            launch(add_values, len(valued), valued, value(collector.features(views, valued)), lookaheads)
        for tablebase in self._tables:
            launch(end_with_tablebase, len(known), known, record, tablebase, scale, lookaheads)
        if len(searched):
            found = collector.device.numpy(lookaheads.bytes[searched]).view(LOOKAHEAD)[:, 0]
            margins = collector.device.array(self._solve(np.ascontiguousarray(found["state"])))
            launch(end_with_margins, len(searched), searched, margins, scale, lookaheads)
        q_targets = self.q_targets[step]
        launch(write_q_targets, envs, groups, rotations, lookahead, collector.relabeling, lookaheads, q_targets)

    def _opponents_that_reply(self) -> Tensor:
        """Return whether the opponent itself replies in lookaheads, bool[envs]."""
        collector = self._collector
        named = zip(collector.opponent_names, collector.opponents, strict=True)
        replies = [*(name != POOL and _replies_itself(opponent) for name, opponent in named), False]
        # The last entry is for index −1, self-play.
        return collector.device.array(replies)[collector.opponent_of]

    def _opponent_actions(self, rows: Tensor, rng: np.random.Generator) -> Tensor:
        """Return the opponents' actions in the lookaheads ``rows``, int64[n]."""
        device, opponents = self._collector.device, self._collector.opponents
        asked = self._collector.opponent_of[rows % self._collector.batch.size] + 1
        actions: Any = torch.zeros_like(rows)
        for opponent, own in zip(opponents, device.rows_by_code(asked.to(torch.int8), len(opponents)), strict=True):
            if len(own):
                decisions = Decisions(self._views[rows[own]], self._collector.batch.rules, rng)
                actions[own] = ask(opponent, decisions)
        found: Tensor = actions
        return found


def _tables(collector: Collector) -> list[Tablebase]:
    """Return the tablebases of the record; on a GPU complete ones, so that only races are searched."""
    played = collector.batch.rules
    find = open_complete_tablebase if collector.device.is_gpu and not played.race else open_tablebase
    return [find(played.trump != "none", low) for low in (False, True)[: 1 + played.high_low]]


def _replies_itself(opponent: Agent) -> bool:
    """Return whether an opponent itself replies in lookaheads: rule bots and networks take only microseconds a view."""
    plays = opponent.agent if isinstance(opponent, ExactEndgame) else opponent
    return isinstance(plays, (RuleBot, RandomBot, PolicyAgent))


class _EndgameSolver:
    """Solves endgames that no table holds by search on the CPU, in several threads if there are many."""

    def __init__(self, record: np.ndarray[Any, Any], tables: list[Tablebase], threads: int) -> None:
        self._game, self._tables = record, (tables[0], tables[-1])
        self._threads = threads or torch.get_num_threads()
        self._transpositions = [race_transposition_table() for _ in range(self._threads)]
        self._executor = ThreadPoolExecutor(self._threads)

    def __call__(self, states: np.ndarray[Any, Any]) -> npt.NDArray[np.int64]:
        """Return seat 0's final margin of each deal with perfect play, int64[n]."""
        found = np.empty(len(states), np.int64)
        parts = min(self._threads, -(-len(found) // _FEWEST_SOLVED))

        def solve(part: int) -> None:
            rows = slice(part * len(found) // parts, (part + 1) * len(found) // parts)
            solve_states(self._game, states[rows], *self._tables, self._transpositions[part], found[rows])

        list(self._executor.map(solve, range(parts)))
        return found

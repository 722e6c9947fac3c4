"""Targets of a rollout: the value of every action in the learner's positions, and the returns of its play."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt
import torch

from german_whist.agents.bots.base import RuleBot
from german_whist.agents.bots.random import RandomBot
from german_whist.agents.endgame.exact_agent import ExactEndgame
from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.canonical import encode_values
from german_whist.envs.agent import Agent
from german_whist.solver.search.transposition_table import race_transposition_table
from german_whist.solver.tablebase.cache import open_table
from german_whist.training.config import POOL, PolicyIterationConfig
from german_whist.training.lookahead_kernels import (
    InferenceQueue,
    Lookaheads,
    add_q_targets,
    begin_lookaheads,
    play_on,
    take_actions,
    take_answers,
    take_values,
)
from german_whist.training.rollout_kernels import watkins_q_lambda
from german_whist.training.rollouts import Collector, Network

_PARTS = 8  # of the environments, for the threads


class ActionValueTargets:
    """Targets for the value of every action in the learner's positions of a rollout.

    Each action is tried in the true deal and continued up to a decision of the same seat, where the value network's
    output takes its place. Replies come from whoever holds the other seat: in self-play the distilled network, which
    also stands in for past selves and for agents that search or run elsewhere; else the opponent itself.

    Attributes:
        q_targets: float32[steps, envs, actions], of canonical actions: the final margin of counted tricks for the
            seat to act that each action is expected to lead to; 0 for illegal actions, and where there are no targets.
        returns: float32[steps, envs], expected final margin from there on; see :func:`watkins_q_lambda`.
        mask: bool[steps, envs], where there are targets: where the learner had a choice.
    """

    def __init__(self, collector: Collector, config: PolicyIterationConfig) -> None:
        """Make room for the targets of a collector's rollouts; see :class:`PolicyIterationConfig` for the settings."""
        self._collector = collector
        self._settings = config
        batch, shape = collector.batch, collector.rollout.actions.shape
        self.q_targets = torch.zeros((*shape, collector.num_actions), dtype=torch.float32)
        self.returns = torch.zeros(shape, dtype=torch.float32)
        self.mask = torch.zeros(shape, dtype=torch.bool)
        self._greedy = torch.zeros(shape, dtype=torch.int64)
        self._following = np.zeros((batch.size, 2), np.float32)
        self._decoded_q_targets = np.zeros((batch.size, collector.num_actions), np.float32)
        groups = np.array_split(np.arange(batch.size), min(_PARTS, batch.size))
        self._parts = [slice(group[0], group[-1] + 1) for group in groups]
        most_actions = max(batch.rules.hand, batch.rules.open_stock, 2)
        self._lookaheads = [
            Lookaheads.empty(len(group) * most_actions * config.stock_rotations, len(collector.high))
            for group in groups
        ]
        self._transpositions = [race_transposition_table() for _ in groups]
        self._executor = ThreadPoolExecutor(config.threads or None)
        lows = (0, 1) if batch.rules.high_low else (0,)
        self._tables = [(low, open_table(batch.rules.trump != "none", low == 1)) for low in lows]

    def compute(self, step: int, reply: Network, value: Network, lookahead: int) -> None:
        """Try every action of the current decisions in which the learner has a choice.

        Args:
            step: the step of the rollout, whose actions are chosen and not played yet; action values are the policy's
                logits, up to a factor.
            reply: float32[rows, actions] for observations int8[rows, features]; its best action is played.
            value: float32[rows, 1], expected final margin of the seat to act, in tricks; replaces the rest of the deal.
            lookahead: number of own decisions to follow each action for; their values are averaged.
        """
        rollout = self._collector.rollout
        self.mask[step] = rollout.learner_mask[step] & rollout.has_choice[step]
        self._greedy[step] = rollout.logits[step].masked_fill(~rollout.masks[step], -torch.inf).argmax(1)
        self._look_ahead(step, rollout.learner_mask[step].numpy(), reply, value, lookahead)
        self.q_targets[step].numpy()[:] = encode_values(self._decoded_q_targets, self._collector.relabeling)

    def write_returns(self) -> None:
        """Write the returns of a rollout, once it is played."""
        rollout = self._collector.rollout
        watkins_q_lambda(
            self.q_targets.numpy(),
            self._greedy.numpy(),
            rollout.actions.numpy(),
            rollout.seats.numpy(),
            rollout.ends.numpy(),
            self.mask.numpy(),
            np.float32(self._settings.value_lambda),
            self._following,
            self.returns.numpy(),
        )

    def _look_ahead(
        self, step: int, wanted: npt.NDArray[np.bool_], reply: Network, value: Network, lookahead: int
    ) -> None:
        """Write the targets of each action of the wanted environments, bool[envs], by true action."""
        collector, settings, universal = self._collector, self._settings, self._collector.universal
        game, states = collector.batch.rules.game, collector.batch.states
        named = zip(collector.opponent_names, collector.opponents, strict=True)
        answering = np.array([*(name != POOL and _answers(opponent) for name, opponent in named), False])
        answers = answering[collector.opponent_of]  # index −1: the learner itself
        rng = np.random.default_rng((collector.seed, collector.rank, collector.rollouts, step))

        def begin(part: int) -> None:
            envs, lookaheads = self._parts[part], self._lookaheads[part]
            begin_lookaheads(game, states[envs], wanted[envs], settings.stock_rotations, lookahead, lookaheads)
            resume(part)

        def resume(part: int) -> None:
            envs, transpositions = self._parts[part], self._transpositions[part]
            scale, lookaheads = float(settings.margin_tanh_scale), self._lookaheads[part]
            for low, table in self._tables:
                play_on(game, low, answers[envs], table, transpositions, scale, universal, lookaheads)

        every_part = range(len(self._parts))
        list(self._executor.map(begin, every_part))
        while True:
            values = _outputs(value, [lookaheads.value_queue for lookaheads in self._lookaheads])
            logits = _outputs(reply, [lookaheads.policy_queue for lookaheads in self._lookaheads])
            is_waiting = logits is not None
            for part, lookaheads in enumerate(self._lookaheads):
                if values is not None:
                    take_values(values[part], lookaheads)
                if logits is not None:
                    take_actions(game, logits[part], lookaheads)
                if lookaheads.opponent_queue.length[0]:
                    opponent_of = collector.opponent_of[self._parts[part]]
                    take_answers(game, _answered(collector.opponents, opponent_of, lookaheads, rng), lookaheads)
                    is_waiting = True
            if not is_waiting:
                break
            list(self._executor.map(resume, every_part))
        self._decoded_q_targets[:] = 0
        for envs, lookaheads in zip(self._parts, self._lookaheads, strict=True):
            add_q_targets(lookahead, lookaheads, self._decoded_q_targets[envs])


def _answers(opponent: Agent) -> bool:
    """Return whether an opponent answers itself in lookaheads: rules and networks, which take microseconds a view."""
    plays = opponent.agent if isinstance(opponent, ExactEndgame) else opponent
    return isinstance(plays, (RuleBot, RandomBot, PolicyAgent))


def _answered(
    opponents: list[Agent], opponent_of: npt.NDArray[np.int64], lookaheads: Lookaheads, rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """Return what the opponents play in the lookaheads that wait for it, int64[length]."""
    queue = lookaheads.opponent_queue
    length = int(queue.length[0])
    asked = opponent_of[lookaheads.envs[queue.lookaheads[:length]]]
    actions = np.zeros(length, np.int64)
    for number in np.unique(asked):
        rows = np.flatnonzero(asked == number)
        actions[rows] = opponents[number].act(queue.views[rows], rng)
    return actions


def _outputs(network: Network, queues: list[InferenceQueue]) -> list[npt.NDArray[np.float32]] | None:
    """Return a network's outputs for the queues, one array per queue; ``None`` if all queues are empty."""
    features = torch.cat([torch.from_numpy(queue.observations()) for queue in queues])
    if not len(features):
        return None
    outputs = network(features).numpy()
    return np.split(outputs, np.cumsum([len(queue.observations()) for queue in queues])[:-1])

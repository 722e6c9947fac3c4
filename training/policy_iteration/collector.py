"""Rollouts in which a teacher says what every action of every position is worth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt
import torch

from german_whist.agents.bots.base import Agent
from german_whist.agents.policy.canonical import by_role
from german_whist.envs.observation.vector import observation_layout
from german_whist.solver.search.transposition_table import race_transposition_table
from german_whist.solver.tablebase.cache import open_table
from german_whist.training.config.schema import PolicyIterationConfig
from german_whist.training.policy_iteration.lookahead_kernels import (
    TO_THE_END,
    InferenceQueue,
    Lookaheads,
    add_q_targets,
    begin_lookaheads,
    play_on,
    take_actions,
    take_values,
)
from german_whist.training.rollouts.collector import Collector, Rollout
from german_whist.training.rollouts.opponent_mix import SELF
from german_whist.training.rollouts.return_kernels import watkins_q_lambda

HEURISTIC = "heuristic"
SHARPER = 4.0  # logits that tell what actions are worth, when they are played: less is lost where values learn from it
_THE_OTHER = ~np.eye(2, dtype=np.bool_)
_PARTS = 8  # that the rows are shared out in among the threads

Network = Callable[[torch.Tensor], torch.Tensor]


class ActionValueCollector(Collector):
    """Plays the learner's policy in many deals at once and asks the teacher in each of its positions.

    Attributes:
        worth: float32[steps, rows, actions], for each action the counted tricks of the seat to act minus the other's
            that it leads to, by role; 0 for those that are not legal, and where nothing was taught.
        returns: float32[steps, rows], what the seat may expect from there on; see ``credit.watkins_q_lambda``.
        taught: bool[steps, rows], where the teacher was asked: where the learner had a choice, but for the first phases
            of the late rows.
        against_bot: int8[rows], 1 where the opponent is the heuristic bot.
    """

    def __init__(
        self, config: PolicyIterationConfig, opponents: Mapping[str, Callable[[int], Agent]], rank: int = 0
    ) -> None:
        """Deal the first deals; see :class:`Collector`.

        Raises:
            ValueError: when the game has no open endgame.
        """
        super().__init__(config, opponents, rank)
        names = [name for name in config.opponents if name != SELF]
        self._config: PolicyIterationConfig = config
        is_heuristic = np.array([*(name.partition("+")[0] == HEURISTIC for name in names), False])
        self.against_bot = is_heuristic[self._opponent_of].astype(np.int8)  # −1, the learner itself, is no bot
        # Spread evenly, so that every opponent has as many of them.
        late = np.diff(np.floor(np.arange(config.num_envs + 1) * config.late_phase_fraction)) > 0
        most = self.batch.rules.stock
        self._first_stock = np.where(late, config.phases[-1] if config.phases else most, most)
        self._stock = observation_layout(self.batch.rules)["stock"].start
        self._by_rules = np.ones((config.num_envs, 2, 2), np.bool_)
        self._lookahead = TO_THE_END
        self._policy: Network | None = None
        self._value: Network | None = None
        shape = self.rollout.actions.shape
        self.worth = torch.zeros((*shape, self.batch.num_actions), dtype=torch.float32)
        self.returns = torch.zeros(shape, dtype=torch.float32)
        self.taught = torch.zeros(shape, dtype=torch.bool)
        self._best = torch.zeros(shape, dtype=torch.int64)
        self._following = np.zeros((config.num_envs, 2), np.float32)
        self._worth_by_name = np.zeros((config.num_envs, self.batch.num_actions), np.float32)
        groups = np.array_split(np.arange(config.num_envs), min(_PARTS, config.num_envs))
        self._parts = [slice(group[0], group[-1] + 1) for group in groups]
        most_actions = max(self.batch.rules.hand, self.batch.rules.open_stock, 2)
        self._tries = [
            Lookaheads.of(len(group) * most_actions * config.stock_rotations, self.num_observations) for group in groups
        ]
        self._memories = [race_transposition_table() for _ in groups]
        self._executor = ThreadPoolExecutor(config.threads or None)
        trump = self.batch.rules.trump != "none"
        lows = (0, 1) if self.batch.rules.high_low else (0,)
        self._tables = [(low, open_table(trump, low == 1)) for low in lows]

    def bootstrap_from(self, policy: Network, value: Network, lookahead: int) -> None:
        """Let networks say from now on what actions lead to, instead of rollouts of the heuristic bot.

        The seat whose actions are tried goes on as the policy says, and so does the other, but for the bot where that
        is the opponent.

        Args:
            policy: likes one action best; float32[rows, actions] of cells int8[rows, num_observations].
            value: what the seat to act may expect at the end, in tricks, against itself and against the heuristic bot;
                float32[rows, 2]. It stands for the rest of the deal.
            lookahead: own decisions that an action leads to, on average of whose values it is judged.
        """
        self._policy, self._value, self._lookahead = policy, value, lookahead
        self._by_rules[:] = self.against_bot[:, None, None] & _THE_OTHER

    def collect(self, policy: Network) -> Rollout:
        """Play a rollout; see :class:`Collector`. Logits should tell what actions are worth."""

        def sharper(cells: torch.Tensor) -> torch.Tensor:
            self._logits = policy(cells) * SHARPER
            return self._logits

        made = super().collect(sharper)
        watkins_q_lambda(
            self.worth.numpy(),
            self._best.numpy(),
            made.actions.numpy(),
            made.seats.numpy(),
            made.ends.numpy(),
            self.taught.numpy(),
            np.float32(self._config.value_lambda),
            self._following,
            self.returns.numpy(),
        )
        return made

    def _choose(self, step: int, policy: Network, opponents: list[Agent]) -> None:
        super()._choose(step, policy, opponents)
        made = self.rollout
        learnt, masks = made.learnt[step], made.masks[step]
        stock = made.cells[step][:, self._stock].numpy()
        wanted = learnt.numpy() & (stock <= self._first_stock)
        self.taught[step] = torch.from_numpy(wanted) & (masks.sum(1) > 1)
        self._best[step] = self._logits.masked_fill(~masks, -torch.inf).argmax(1)
        self._ask(wanted)
        self.worth[step].numpy()[:] = by_role(self._worth_by_name, self._roles)

    def _ask(self, wanted: npt.NDArray[np.bool_]) -> None:
        """Find out what each action of the rows that are wanted leads to."""
        game, states = self.batch.rules.game, self.batch.states

        def begin(part: int) -> None:
            rows = self._parts[part]
            orders = self._config.stock_rotations
            begin_lookaheads(game, states[rows], wanted[rows], orders, self._lookahead, self._tries[part])
            go_on(part)

        def go_on(part: int) -> None:
            by_rules, tries, memory = self._by_rules[self._parts[part]], self._tries[part], self._memories[part]
            for low, table in self._tables:
                play_on(game, low, by_rules, table, memory, self._config.margin_tanh_scale, self._live, tries)

        every_part = range(len(self._parts))
        list(self._executor.map(begin, every_part))
        while True:
            expected = self._said(self._value, [tries.value_queue for tries in self._tries])
            liked = self._said(self._policy, [tries.policy_queue for tries in self._tries])
            if expected is None and liked is None:
                break
            for part, tries in enumerate(self._tries):
                if expected is not None:
                    take_values(expected[part], self.against_bot[self._parts[part]], tries)
                if liked is not None:
                    take_actions(game, liked[part], tries)
            if liked is not None:
                list(self._executor.map(go_on, every_part))
        self._worth_by_name[:] = 0
        for rows, tries in zip(self._parts, self._tries, strict=True):
            add_q_targets(self._lookahead, tries, self._worth_by_name[rows])

    @staticmethod
    def _said(network: Network | None, waiting: list[InferenceQueue]) -> list[npt.NDArray[np.float32]] | None:
        """Return what a network says of all that wait for it, part by part; ``None`` where nothing does."""
        cells = torch.cat([torch.from_numpy(part.seen()) for part in waiting])
        if not len(cells) or network is None:
            return None
        outputs = network(cells).numpy()
        return np.split(outputs, np.cumsum([len(part.seen()) for part in waiting])[:-1])

"""Rollouts with a target for the value of every action in the learner's positions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt
import torch

from german_whist.agents.bots.base import Agent
from german_whist.agents.policy.canonical import by_role
from german_whist.agents.policy.inputs import input_layout
from german_whist.agents.policy.network.layers import OBSERVATION
from german_whist.solver.search.transposition_table import race_transposition_table
from german_whist.solver.tablebase.cache import open_table
from german_whist.training.config.game_settings import PPOGameSettings
from german_whist.training.config.settings import PolicyIterationSettings, RolloutSettings
from german_whist.training.policy_iteration.lookahead_kernels import (
    TO_THE_END,
    add_q_targets,
    begin_lookaheads,
    play_on,
    take_actions,
    take_values,
)
from german_whist.training.policy_iteration.lookaheads import InferenceQueue, Lookaheads
from german_whist.training.rollouts.collector import Collector, Rollout
from german_whist.training.rollouts.opponent_mix import SELF
from german_whist.training.rollouts.return_kernels import watkins_q_lambda

HEURISTIC = "heuristic"
INVERSE_TEMPERATURE = 4.0  # of the behaviour policy: values learn from its returns, so exploration must cost little
_OTHER_SEAT = ~np.eye(2, dtype=np.bool_)
_PARTS = 8  # of the environments, for the threads

Network = Callable[[torch.Tensor], torch.Tensor]


class ActionValueCollector(Collector):
    """Plays the learner's policy in many deals at once and computes a target for every action of its positions.

    Attributes:
        q_targets: float32[steps, envs, actions], by role: the final margin of counted tricks for the seat to act that
            each action is expected to lead to; 0 for illegal actions, and where there are no targets.
        returns: float32[steps, envs], expected final margin from there on; see :func:`watkins_q_lambda`.
        target_mask: bool[steps, envs], where there are targets: where the learner had a choice, and, in the
            environments of ``late_phase_fraction``, the last phase has begun.
        against_heuristic: int8[envs], 1 where the opponent is the heuristic bot.
    """

    def __init__(
        self,
        game: PPOGameSettings,
        rollouts: RolloutSettings,
        settings: PolicyIterationSettings,
        opponents: Mapping[str, Callable[[int], Agent]],
        *,
        seed: int,
        ranks: str,
        inputs: str = OBSERVATION,
        last_phase: int | None = None,
        threads: int = 1,
        history: bool = False,
        rank: int = 0,
    ) -> None:
        """Deal the first deals; see :class:`Collector`.

        Args:
            game: the game, with exact endgames.
            rollouts: size of a rollout, and the opponents.
            settings: settings of the targets.
            opponents: for each name in ``rollouts.opponents`` except ``self``, a function from the number of a rollout
                to the agent.
            seed: seed of the deals and the sampled actions.
            ranks: ranks as the policy sees them, ``"named"`` or ``"live"``.
            inputs: what the policy sees, ``"observation"`` or ``"universal"``.
            last_phase: stock size from which the last phase's network plays; ``None`` without phases.
            threads: CPU threads; 0 for one per core.
            history: keep event histories, for opponents that use them.
            rank: index of this process.

        Raises:
            ValueError: when the game has no open endgame.
        """
        super().__init__(game, rollouts, opponents, seed=seed, ranks=ranks, inputs=inputs, history=history, rank=rank)
        envs = rollouts.num_envs
        names = [name for name in rollouts.opponents if name != SELF]
        self._settings = settings
        is_heuristic = np.array([*(name.partition("+")[0] == HEURISTIC for name in names), False])
        self.against_heuristic = is_heuristic[self._mix.opponent_of].astype(np.int8)  # index −1 (the learner): 0
        # Spread evenly over the environments, and so over the opponents.
        late = np.diff(np.floor(np.arange(envs + 1) * settings.late_phase_fraction)) > 0
        most = self.batch.rules.stock
        self._first_stock = np.where(late, most if last_phase is None else last_phase, most)
        self._stock = input_layout(self.batch.rules, inputs)["stock"].start
        self._by_heuristic = np.ones((envs, 2, 2), np.bool_)
        self._lookahead = TO_THE_END
        self._policy: Network | None = None
        self._value: Network | None = None
        shape = self.rollout.actions.shape
        self.q_targets = torch.zeros((*shape, self.num_actions), dtype=torch.float32)
        self.returns = torch.zeros(shape, dtype=torch.float32)
        self.target_mask = torch.zeros(shape, dtype=torch.bool)
        self._greedy = torch.zeros(shape, dtype=torch.int64)
        self._following = np.zeros((envs, 2), np.float32)
        self._true_q_targets = np.zeros((envs, self.num_actions), np.float32)
        groups = np.array_split(np.arange(envs), min(_PARTS, envs))
        self._parts = [slice(group[0], group[-1] + 1) for group in groups]
        most_actions = max(self.batch.rules.hand, self.batch.rules.open_stock, 2)
        self._lookaheads = [
            Lookaheads.empty(len(group) * most_actions * settings.stock_rotations, self.num_observations)
            for group in groups
        ]
        self._transpositions = [race_transposition_table() for _ in groups]
        self._executor = ThreadPoolExecutor(threads or None)
        trump = self.batch.rules.trump != "none"
        lows = (0, 1) if self.batch.rules.high_low else (0,)
        self._tables = [(low, open_table(trump, low == 1)) for low in lows]

    def bootstrap_from(self, policy: Network, value: Network, lookahead: int) -> None:
        """Compute targets from networks from now on, instead of rollouts of the heuristic bot.

        The policy continues for both seats, except for an opponent that is the heuristic bot.

        Args:
            policy: float32[rows, actions] for observations int8[rows, num_observations]; its best action is played.
            value: float32[rows, 2], expected final margin of the seat to act, in tricks, against itself and against the
                heuristic bot; replaces the rest of the deal.
            lookahead: number of own decisions to follow each action for; their values are averaged.
        """
        self._policy, self._value, self._lookahead = policy, value, lookahead
        self._by_heuristic[:] = self.against_heuristic[:, None, None] & _OTHER_SEAT

    def collect(self, policy: Network) -> Rollout:
        """Play a rollout; see :class:`Collector`. ``policy`` returns scaled action values as logits."""
        rollout = super().collect(lambda features: policy(features) * INVERSE_TEMPERATURE)
        watkins_q_lambda(
            self.q_targets.numpy(),
            self._greedy.numpy(),
            rollout.actions.numpy(),
            rollout.seats.numpy(),
            rollout.ends.numpy(),
            self.target_mask.numpy(),
            np.float32(self._settings.value_lambda),
            self._following,
            self.returns.numpy(),
        )
        return rollout

    def _choose(self, step: int, policy: Network, opponents: list[Agent]) -> None:
        super()._choose(step, policy, opponents)
        rollout = self.rollout
        learner_mask, masks = rollout.learner_mask[step], rollout.masks[step]
        stock = rollout.features[step][:, self._stock].numpy()
        wanted = learner_mask.numpy() & (stock <= self._first_stock)
        self.target_mask[step] = torch.from_numpy(wanted) & (masks.sum(1) > 1)
        self._greedy[step] = rollout.logits[step].masked_fill(~masks, -torch.inf).argmax(1)
        self._compute_targets(wanted)
        self.q_targets[step].numpy()[:] = by_role(self._true_q_targets, self._roles)

    def _compute_targets(self, wanted: npt.NDArray[np.bool_]) -> None:
        """Write the targets of each action of the wanted environments, bool[envs], by true action."""
        game, states = self.batch.rules.game, self.batch.states
        settings = self._settings

        def begin(part: int) -> None:
            envs, lookaheads = self._parts[part], self._lookaheads[part]
            begin_lookaheads(game, states[envs], wanted[envs], settings.stock_rotations, self._lookahead, lookaheads)
            resume(part)

        def resume(part: int) -> None:
            by_heuristic, transpositions = self._by_heuristic[self._parts[part]], self._transpositions[part]
            for low, table in self._tables:
                play_on(
                    game,
                    low,
                    by_heuristic,
                    table,
                    transpositions,
                    settings.margin_tanh_scale,
                    self._live,
                    self._universal,
                    self._lookaheads[part],
                )

        every_part = range(len(self._parts))
        list(self._executor.map(begin, every_part))
        while True:
            values = self._outputs(self._value, [lookaheads.value_queue for lookaheads in self._lookaheads])
            logits = self._outputs(self._policy, [lookaheads.policy_queue for lookaheads in self._lookaheads])
            if values is None and logits is None:
                break
            for part, lookaheads in enumerate(self._lookaheads):
                if values is not None:
                    take_values(values[part], self.against_heuristic[self._parts[part]], lookaheads)
                if logits is not None:
                    take_actions(game, logits[part], lookaheads)
            if logits is not None:
                list(self._executor.map(resume, every_part))
        self._true_q_targets[:] = 0
        for envs, lookaheads in zip(self._parts, self._lookaheads, strict=True):
            add_q_targets(self._lookahead, lookaheads, self._true_q_targets[envs])

    @staticmethod
    def _outputs(network: Network | None, queues: list[InferenceQueue]) -> list[npt.NDArray[np.float32]] | None:
        """Return a network's outputs for the queues, one array per queue; ``None`` if all queues are empty."""
        features = torch.cat([torch.from_numpy(queue.observations()) for queue in queues])
        if not len(features) or network is None:
            return None
        outputs = network(features).numpy()
        return np.split(outputs, np.cumsum([len(queue.observations()) for queue in queues])[:-1])

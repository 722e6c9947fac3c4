"""Self-play rollouts: row kernels step many deals at once on a device, and everything is recorded in tensors there.

Networks see canonical views (``simulator/observation/canonical.py``), so the policy is equivariant by construction:
permuting the plain suits of a deal permutes the cards it plays and changes nothing else. No data augmentation is
needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from german_whist.agents.asking import ask
from german_whist.agents.base import Agent
from german_whist.agents.forms import as_agent
from german_whist.agents.policy.inputs import input_high, num_outputs
from german_whist.agents.policy.network.layers import OBSERVATION, UNIVERSAL
from german_whist.game.agent_rng import AgentRng
from german_whist.game.endgame_setting import EXACT, PLAYED, Endgame
from german_whist.game.rules import rules
from german_whist.game.state import STATE
from german_whist.game.utils.backend import StructTensor, TorchBackend
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.observation.canonical_kernels import RELABELING_SIZE
from german_whist.simulator.observation.views import VIEW
from german_whist.solver.exact_endgame import ExactEndgameHook
from german_whist.training.config import SELF
from german_whist.training.loop import TRAINING_DEALS
from german_whist.training.policy_iteration.collector_kernels import (
    deal_ended,
    end_step,
    observe_envs,
    sample_actions,
    write_encoded_actions,
    write_inputs,
)

DEALS_PER_PROCESS = 2**40  # each process deals from its own range

Network = Callable[[Tensor], Tensor]
Opponents = Mapping[str, Callable[[int], Agent]]  # name: function of a rollout's number that returns the agent


def _opponent_of(shares: Mapping[str, float], num_envs: int) -> npt.NDArray[np.int64]:
    """Give each opponent its share of the environments.

    Args:
        shares: weight of each opponent, above 0, among them perhaps ``self``; the sum need not be 1.
        num_envs: number of environments.

    Returns:
        Index of each environment's opponent, not counting the learner itself; −1 where the learner holds both seats.

    Raises:
        ValueError: if a share is less than one environment.
    """
    opponent_of = np.full(num_envs, -1, np.int64)
    total = sum(shares.values())
    start = 0.0
    number = 0
    for name, share in shares.items():
        stop = start + share / total
        if round(start * num_envs) == round(stop * num_envs):
            raise ValueError(
                f"opponents: a share of {share:g} of {total:g} is less than one environment of {num_envs} (num_envs)"
            )
        if name != SELF:
            opponent_of[round(start * num_envs) : round(stop * num_envs)] = number
            number += 1
        start = stop
    return opponent_of


def first_training_deal(rank: int) -> int:
    """Return the index of the first deal of process ``rank``, whose range has ``DEALS_PER_PROCESS`` deals."""
    return TRAINING_DEALS + rank * DEALS_PER_PROCESS


@dataclass
class Rollout:
    """``num_steps`` decisions in every environment, on the device.

    Attributes:
        views: ``VIEW`` records [steps * envs], canonical.
        masks: bool[steps, envs, actions], legal canonical actions.
        actions: int64[steps, envs], canonical actions played.
        logits: float32[steps, envs, actions], of the behaviour policy where the learner had a choice; elsewhere 0.
        seats: int8[steps, envs], the seat that decided.
        ends: bool[steps, envs], whether this decision ended the deal or began its endgame, which is not played.
        margins: float32[steps, envs], seat 0's final margin of counted tricks where the deal is over; elsewhere 0.
        learner_mask: bool[steps, envs], whether the learner decided, rather than an opponent.
        several_legal: bool[steps, envs], whether there were at least two legal actions.
    """

    views: StructTensor
    masks: Tensor
    actions: Tensor
    logits: Tensor
    seats: Tensor
    ends: Tensor
    margins: Tensor
    learner_mask: Tensor
    several_legal: Tensor

    @classmethod
    def empty(cls, steps: int, envs: int, actions: int, device: TorchBackend) -> Rollout:
        """Return empty buffers."""
        shape = (steps, envs)
        return cls(
            device.zeros(steps * envs, VIEW),
            device.zeros((*shape, actions), "bool"),
            device.zeros(shape, "int64"),
            device.zeros((*shape, actions), "float32"),
            device.zeros(shape, "int8"),
            device.zeros(shape, "bool"),
            device.zeros(shape, "float32"),
            device.zeros(shape, "bool"),
            device.zeros(shape, "bool"),
        )

    def by_step(self) -> list[Rollout]:
        """Return the part of each step, which shares this rollout's memory."""
        tensors = [value for value in vars(self).values() if isinstance(value, Tensor)]
        return [Rollout(self.views_at(step), *(tensor[step] for tensor in tensors)) for step in range(len(self.seats))]

    def views_at(self, step: int) -> StructTensor:
        """Return the views of a step, ``VIEW`` records [envs]."""
        envs = self.seats.shape[1]
        return StructTensor(self.views.bytes[step * envs : (step + 1) * envs], VIEW)

    def views_where(self, mask: Tensor) -> StructTensor:
        """Return the views of the decisions selected by ``mask``, bool[steps, envs], in order of steps."""
        return StructTensor(self.views.bytes[mask.flatten()], VIEW)


class Collector:
    """Plays the learner's policy in many deals at once, up to their endgames, and records every decision.

    In some environments the learner holds both seats. In the others an opponent holds one seat, and the learner deals
    every other time; the opponent's decisions are recorded, too.

    Attributes:
        batch: the deals, NumPy arrays on the CPU, tensors on a GPU.
        states: the states of ``batch`` as ``STATE`` records in a tensor that shares its memory.
        device: the device of all tensors.
        relabeling: int8[envs, RELABELING_SIZE], the relabelings of the current decisions.
        universal: whether the policy sees the universal encoding.
        num_steps: decisions per environment in a rollout.
        high: largest value of each feature, int8[features].
        num_actions: size of the policy's action space.
        seed: seed of the deals and the sampled actions.
        rank: index of this process.
        rollouts: number of rollouts begun so far.
        opponent_names: names of the opponents in the configuration.
        opponents: the agents of the current rollout, in the same order.
        opponent_of: int64[envs], index of each environment's opponent; −1 where the learner holds both seats.
        rollout: the buffers that every rollout overwrites.
        steps: the part of each step in these buffers.
        learner_rows: for each step so far, the environments in which the learner had a choice, int64[n].
    """

    def __init__(
        self,
        game: str,
        num_envs: int,
        num_steps: int,
        shares: Mapping[str, float],
        opponents: Opponents,
        *,
        seed: int,
        inputs: str = OBSERVATION,
        history: bool = False,
        rank: int = 0,
        solves: bool = False,
        device: str = "cpu",
    ) -> None:
        """Deal the first deals.

        Args:
            game: specification of the game.
            num_envs: number of environments, each with one deal in progress.
            num_steps: decisions per environment in a rollout.
            shares: shares of the environments for ``self`` and for opponents by name.
            opponents: makers of the opponents, for each name in ``shares`` except ``self``.
            seed: seed of the deals and the sampled actions.
            inputs: the policy's encoding, ``"observation"`` or ``"universal"``.
            history: whether to keep event histories, for opponents that use them.
            rank: index of this process.
            solves: whether to solve endgames, so that the margins of deals are known.
            device: torch device of all tensors.

        Raises:
            ValueError: if the game has no open endgame, a share is less than one environment, there is no such
                device, or histories are wanted on a GPU.
        """
        played = rules(game)
        ExactEndgameHook().check(played)
        self.device = TorchBackend(device)
        endgame: Endgame = EXACT if solves else PLAYED
        self.batch: Any
        if self.device.is_gpu:
            if history:
                raise ValueError("device: opponents that use histories run only on the CPU: set device: cpu")
            self.batch = DealBatch(played, num_envs, seed, endgame=endgame, device=device)
            self.states = self.batch.states
        else:
            self.batch = DealBatch(played, num_envs, seed, history=history, endgame=endgame)
            self.states = StructTensor(
                torch.from_numpy(self.batch.states.view(np.uint8).reshape(num_envs, STATE.itemsize)), STATE
            )
        self.high = input_high(played, inputs)
        self.num_actions = num_outputs(played, inputs)
        self.universal = inputs == UNIVERSAL
        self.num_steps = num_steps
        self.seed = seed
        self.opponent_names = [name for name in shares if name != SELF]
        self._makers = [opponents[name] for name in self.opponent_names]
        self.opponents: list[Agent] = []
        self.rank = rank
        self.rollouts = 0
        zeros, array = self.device.zeros, self.device.array
        self.opponent_of = array(_opponent_of(shares, num_envs))
        self.relabeling = zeros((num_envs, RELABELING_SIZE), "int8")
        self._first_deal = first_training_deal(rank)
        self._next_deal = array([self._first_deal])
        self._deals, self._moves = zeros(num_envs, "int64"), zeros(num_envs, "int64")
        self._deals_of_env, self._learner_seat = zeros(num_envs, "int64"), zeros(num_envs, "int8")
        self._true_actions, self._asked = zeros(num_envs, "int64"), zeros(num_envs, "int8")
        self._every_env = array(np.arange(num_envs))
        self._cards = array(np.array(played.cards, np.int8))
        self.rollout = Rollout.empty(num_steps, num_envs, self.num_actions, self.device)
        self.steps = self.rollout.by_step()
        self.learner_rows: list[Tensor] = []
        self._deal(torch.ones_like(self.steps[0].ends))

    def features(self, views: StructTensor, rows: Tensor | None = None) -> Tensor:
        """Return the networks' inputs for canonical views, or for those of some rows, int8[n, features]."""
        rows = torch.arange(len(views), device=self.device.torch_device) if rows is None else rows
        made: Tensor = self.device.empty((len(rows), len(self.high)), "int8")
        self.device.launch(write_inputs, len(rows), self.batch.rules.record, rows, views, self.universal, made)
        return made

    def _deal(self, ends: Tensor) -> None:
        """Deal the next deals into the environments selected by ``ends``, bool[envs], and seat the learner."""
        numbers = ends.cumsum(0)
        self.device.launch(
            deal_ended,
            self.batch.size,
            self.batch.rules.record,
            self._cards,
            np.uint64(self.seed),
            self._next_deal,
            ends,
            numbers,
            self.opponent_of,
            self.states,
            self._deals,
            self._moves,
            self._deals_of_env,
            self._learner_seat,
        )
        self._next_deal += numbers[-1]
        self.batch.moves += 1  # dealt without the batch
        if self.batch.keeps_games:
            ended = self.device.flatnonzero(ends)
            self.batch.begin_games(ended if self.device.is_gpu else ended.numpy())

    def begin_rollout(self) -> None:
        """Create the opponents of the next rollout, which also take over the deals in progress."""
        self.opponents = [as_agent(maker(self.rollouts), self.batch.rules) for maker in self._makers]
        self.rollouts += 1
        self.learner_rows = []
        self.rollout.logits.zero_()

    def observe(self, step: int) -> None:
        """Record the seats to act and their canonical views and legal actions."""
        now = self.steps[step]
        self.device.launch(
            observe_envs,
            self.batch.size,
            self.batch.rules.record,
            self.states,
            self.opponent_of,
            self._learner_seat,
            now.views,
            self.relabeling,
            now.masks,
            now.seats,
            now.learner_mask,
            now.several_legal,
            self._asked,
        )

    def choose(self, step: int, policy: Network) -> None:
        """Choose actions for the current decisions without playing them.

        Args:
            step: the step of the rollout.
            policy: returns logits, float32[rows, actions], for observations int8[rows, features].
        """
        now = self.steps[step]
        learner_rows, *of_opponents = self.device.rows_by_code(self._asked, 1 + len(self.opponents))
        self.learner_rows.append(learner_rows)
        now.logits[learner_rows] = policy(self.features(now.views, learner_rows))
        self.device.launch(
            sample_actions,
            self.batch.size,
            now.logits,
            now.masks,
            self.relabeling,
            np.uint64(self.seed),
            self._deals,
            self._moves,
            now.actions,
            self._true_actions,
        )
        for number, (opponent, envs) in enumerate(zip(self.opponents, of_opponents, strict=True)):
            if len(envs):
                given, relabeling = self._ask(opponent, number, envs), self.relabeling
                self.device.launch(
                    write_encoded_actions, len(envs), envs, given, relabeling, self._true_actions, now.actions
                )

    def _ask(self, opponent: Agent, number: int, envs: Tensor) -> Tensor:
        """Return an opponent's actions in ``envs``, int64[n]."""

        def agent_rng(_: Any) -> AgentRng:
            deals, moves = self.device.numpy(torch.stack((self._deals[envs], self._moves[envs])))
            return AgentRng(self.seed, deals.astype(np.uint64), stream=number, step=moves)

        rows = envs if self.device.is_gpu else envs.numpy()
        actions: Tensor = self.device.array(ask(opponent, self.batch.decisions_in(rows, agent_rng, has_deals=True)))
        return actions

    def play(self, step: int) -> None:
        """Play the chosen actions, and start a new deal wherever one is over or at its endgame."""
        now, batch = self.steps[step], self.batch
        if self.device.is_gpu:
            batch.play(self._every_env, self._true_actions)
        else:
            batch.step(self._true_actions.numpy())
        self.device.launch(end_step, batch.size, batch.rules.record, self.states, self._moves, now.ends, now.margins)
        self._deal(now.ends)

    def learner_decisions(self) -> int:
        """Return the number of the learner's decisions in the rollout.

        Raises:
            FloatingPointError: if logits were not finite.
        """
        rollout = self.rollout
        decisions, failed = self.device.numpy(torch.stack((rollout.learner_mask.sum(), (rollout.actions < 0).sum())))
        if failed:
            raise FloatingPointError("logits are not finite")
        return int(decisions)

    def rows_with_several_legal(self) -> Tensor:
        """Return the decisions of the rollout in which the learner had a choice, step * envs + env, int64[n]."""
        return torch.cat([envs + step * self.batch.size for step, envs in enumerate(self.learner_rows)])

    def _saved_tensors(self) -> dict[str, Tensor]:
        return {
            "states": self.states.bytes,
            "deals": self._deals,
            "deals_of_env": self._deals_of_env,
            "learner_seat": self._learner_seat,
            "moves": self._moves,
        }

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Return everything that the next rollout depends on but the policy: arrays with one row per environment.

        ``counts`` alone has a single row.
        """
        saved: dict[str, npt.NDArray[Any]] = {
            name: self.device.numpy(tensor).copy() for name, tensor in self._saved_tensors().items()
        }
        saved["counts"] = np.array(
            [[int(self.device.numpy(self._next_deal)[0]) - self._first_deal, self.rollouts]], np.int64
        )
        log = self.batch.log
        if log is not None:
            saved |= {"log_actions": log.actions.copy(), "log_counts": log.counts.copy()}
        return saved

    def load_state(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        """Restore what :meth:`state` returned."""
        log = self.batch.log
        if log is not None:
            log.actions[:], log.counts[:] = state["log_actions"], state["log_counts"]
        for name, tensor in self._saved_tensors().items():
            tensor.copy_(torch.from_numpy(np.ascontiguousarray(state[name])))
        dealt, self.rollouts = map(int, state["counts"][0])
        self._next_deal.fill_(self._first_deal + dealt)

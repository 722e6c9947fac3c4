"""Self-play rollouts: row kernels step many deals at once on a device, and everything is recorded in tensors there.

Networks see canonical views (``envs/observation/canonical.py``), so the policy is equivariant by construction:
permuting the plain suits of a deal permutes the cards it plays and changes nothing else. No data augmentation is
needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from german_whist.agents.policy.input_kernels import write_network_inputs
from german_whist.agents.policy.inputs import input_high, num_outputs
from german_whist.agents.policy.network.layers import OBSERVATION, UNIVERSAL
from german_whist.envs.agent import Agent, as_agent, ask
from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.engine.endgame_hook import EXACT, PLAYED
from german_whist.envs.engine.rules import rules
from german_whist.envs.engine.state import STATE
from german_whist.envs.observation.canonical_kernels import RELABELING_SIZE
from german_whist.envs.observation.views import VIEW
from german_whist.envs.simulator.batch import DealBatch
from german_whist.envs.simulator.batch_kernels import write_begins_endgame
from german_whist.envs.utils.device import Device, StructTensor
from german_whist.solver.exact_endgame import ExactEndgameHook
from german_whist.training.config import SELF
from german_whist.training.rollout_kernels import (
    observe_envs,
    sample_actions,
    write_encoded_actions,
    write_margins,
)

TRAINING_DEALS = 2**62  # index of the first deal; evaluations play lower ones, so no run has trained on them
DEALS_PER_PROCESS = 2**40  # each process deals from a range of its own

Network = Callable[[Tensor], Tensor]
Opponents = Mapping[str, Callable[[int], Agent]]  # by name: a function from a rollout's number to the agent
_LEGAL = VIEW.fields["legal"][1]  # type: ignore[index] # byte offset in a record


def legal_masks(views: StructTensor) -> Tensor:
    """Return the legal actions of views as bit masks, int64[n]."""
    return views.bytes[:, _LEGAL : _LEGAL + 8].view(torch.int64).squeeze(1)


class OpponentSampler:
    """Assigns an opponent and the learner's seat to each environment.

    Attributes:
        opponent_of: int64[num_envs], index of the opponent, not counting the learner itself; −1 where the learner
            holds both seats.
        learner_seat: int8[num_envs], the learner's seat; −1 where it holds both.
        deals_of_env: int64[num_envs], deals so far.
    """

    def __init__(self, shares: Iterable[tuple[float, bool]], num_envs: int, device: torch.device) -> None:
        """Give each opponent its share of the environments.

        Args:
            shares: weight of each opponent, above 0, and whether it is the learner itself; the sum need not be 1.
            num_envs: number of environments.
            device: device of the tensors.

        Raises:
            ValueError: if a share is less than one environment.
        """
        self.opponent_of = torch.from_numpy(_opponent_of(list(shares), num_envs)).to(device)
        self.learner_seat = torch.full((num_envs,), -1, dtype=torch.int8, device=device)
        self.deals_of_env = torch.zeros(num_envs, dtype=torch.int64, device=device)

    def assign_seats(self, envs: Tensor, dealers: Tensor) -> None:
        """Seat the learner in new deals: as dealer and non-dealer in turn, or in both seats.

        Args:
            envs: int64[n], environments with new deals.
            dealers: int8[n], the dealers of these deals.
        """
        # Neighbouring environments alternate, so that even over a few deals the learner deals half the time.
        is_dealer = (envs + self.deals_of_env[envs]) % 2 == 1
        seat = torch.where(is_dealer, dealers, 1 - dealers)
        self.learner_seat[envs] = seat.masked_fill(self.opponent_of[envs] < 0, -1)
        self.deals_of_env[envs] += 1

    def learner_acts(self, turn: Tensor) -> Tensor:
        """Return whether the learner is to act, bool[num_envs], given the seats to act, int8[num_envs]."""
        return (self.learner_seat < 0) | (self.learner_seat == turn)


def _opponent_of(shares: list[tuple[float, bool]], num_envs: int) -> npt.NDArray[np.int64]:
    opponent_of = np.full(num_envs, -1, np.int64)
    total = sum(share for share, _ in shares)
    start = 0.0
    number = 0
    for share, is_self in shares:
        stop = start + share / total
        if round(start * num_envs) == round(stop * num_envs):
            raise ValueError(
                f"opponents: a share of {share:g} of {total:g} is less than one environment of {num_envs} (num_envs)"
            )
        if not is_self:
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
        views: ``VIEW`` records [steps * envs], what the seat to act knows, canonical.
        masks: bool[steps, envs, actions], legal canonical actions.
        actions: int64[steps, envs], canonical actions played.
        logits: float32[steps, envs, actions], of the behaviour policy where the learner had a choice; elsewhere 0.
        seats: int8[steps, envs], the seat that decided.
        ends: bool[steps, envs], whether this decision ended the deal or began its endgame, which is not played.
        margins: float32[steps, envs], seat 0's final margin of counted tricks where the deal is over; elsewhere 0.
        learner_mask: bool[steps, envs], whether the learner decided, rather than an opponent.
        has_choice: bool[steps, envs], whether there were at least two legal actions.
    """

    views: StructTensor
    masks: Tensor
    actions: Tensor
    logits: Tensor
    seats: Tensor
    ends: Tensor
    margins: Tensor
    learner_mask: Tensor
    has_choice: Tensor

    @classmethod
    def empty(cls, steps: int, envs: int, actions: int, device: Device) -> Rollout:
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
        dealt: int = 0,
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
            dealt: number of deals that this process has dealt before.
            solves: whether to solve endgames, so that the margins of deals are known.
            device: torch device of all tensors.

        Raises:
            ValueError: if the game has no open endgame, a share is less than one environment, there is no such
                device, or histories are wanted on a GPU.
        """
        played = rules(game)
        ExactEndgameHook().check(played)
        self.device = Device(device)
        endgame = EXACT if solves else PLAYED
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
        on = self.device.torch_device
        self._mix = OpponentSampler(((share, name == SELF) for name, share in shares.items()), num_envs, on)
        self.opponent_names = [name for name in shares if name != SELF]
        self._makers = [opponents[name] for name in self.opponent_names]
        self.opponents: list[Agent] = []
        self.opponent_of = self._mix.opponent_of
        self.rank = rank
        self._first_deal = first_training_deal(rank)
        self._next_deal = dealt
        self.rollouts = 0
        zeros = self.device.zeros
        self.relabeling = zeros((num_envs, RELABELING_SIZE), "int8")
        self._deals, self._moves = zeros(num_envs, "int64"), zeros(num_envs, "int64")
        self._true_actions = zeros(num_envs, "int64")
        self._every_env = torch.arange(num_envs, device=on)
        self._action_bits = torch.arange(self.num_actions, device=on)
        self.rollout = Rollout.empty(num_steps, num_envs, self.num_actions, self.device)
        self._deal(self._every_env)

    @property
    def dealt(self) -> int:
        """Number of deals dealt by this process so far, including those before this collector."""
        return self._next_deal

    def features(self, views: StructTensor) -> Tensor:
        """Return the networks' inputs for canonical views, int8[n, features]."""
        rows = torch.empty((len(views.bytes), len(self.high)), dtype=torch.int8, device=self.device.torch_device)
        self.device.launch(write_network_inputs, len(rows), self.batch.rules.game, views, self.universal, rows)
        return rows

    def _deal(self, envs: Tensor) -> None:
        """Deal the next deals into ``envs`` and seat the learner."""
        first = self._first_deal + self._next_deal
        deals = torch.arange(first, first + len(envs), device=self.device.torch_device)
        self._next_deal += len(envs)
        self._deals[envs] = deals
        self._moves[envs] = 0
        if self.device.is_gpu:
            self.batch.deal_rows(envs, deals)
        else:
            self.batch.deal_rows(envs.numpy(), deals.numpy())
        self._mix.assign_seats(envs, self.states["dealer"][envs])

    def begin_rollout(self) -> None:
        """Create the opponents of the next rollout, which also take over the deals in progress."""
        self.opponents = [as_agent(maker(self.rollouts), self.batch.rules) for maker in self._makers]
        self.rollouts += 1

    def observe(self, step: int) -> None:
        """Record the seats to act and their canonical views and legal actions."""
        rollout, views = self.rollout, self.rollout.views_at(step)
        game, envs = self.batch.rules.game, self.batch.size
        self.device.launch(observe_envs, envs, game, self.states, views, self.relabeling, rollout.seats[step])
        legal = legal_masks(views)
        rollout.masks[step] = (legal[:, None] >> self._action_bits & 1) == 1
        rollout.has_choice[step] = legal & (legal - 1) != 0

    def choose(self, step: int, policy: Network) -> None:
        """Choose actions for the current decisions without playing them.

        Args:
            step: the step of the rollout.
            policy: returns logits, float32[rows, actions], for observations int8[rows, features].

        Raises:
            FloatingPointError: if logits are not finite.
        """
        rollout = self.rollout
        acts = rollout.learner_mask[step] = self._mix.learner_acts(rollout.seats[step])
        choices = (acts & rollout.has_choice[step]).nonzero().squeeze(1)
        logits = rollout.logits[step].zero_()
        logits[choices] = policy(self.features(StructTensor(rollout.views_at(step).bytes[choices], VIEW)))
        self.device.launch(
            sample_actions,
            self.batch.size,
            logits,
            rollout.masks[step],
            self.relabeling,
            np.uint64(self.seed),
            self._deals.view(torch.uint64),
            self._moves,
            rollout.actions[step],
            self._true_actions,
        )
        if bool((self._true_actions < 0).any()):
            raise FloatingPointError("logits are not finite")
        for number, opponent in enumerate(self.opponents):
            envs = (~acts & (self.opponent_of == number)).nonzero().squeeze(1)
            if len(envs):
                answer = self._ask(opponent, number, envs)
                self.device.launch(
                    write_encoded_actions,
                    len(envs),
                    envs,
                    answer,
                    self.relabeling,
                    self._true_actions,
                    rollout.actions[step],
                )

    def _ask(self, opponent: Agent, number: int, envs: Tensor) -> Tensor:
        """Return an opponent's actions in ``envs``, int64[n]."""
        deals = self._deals[envs].cpu().numpy().astype(np.uint64)
        rng = AgentRng(self.seed, deals, stream=number, step=self._moves[envs].cpu().numpy())
        if self.device.is_gpu:
            return opponent.act_on(self.device, self.batch.views(envs), rng)
        return torch.from_numpy(ask(opponent, self.batch, envs.numpy(), rng))

    def play(self, step: int) -> None:
        """Play the chosen actions, and start a new deal wherever one is over or at its endgame."""
        rollout, batch = self.rollout, self.batch
        if self.device.is_gpu:
            batch.step_unchecked(self._every_env, self._true_actions)
        else:
            batch.step(self._true_actions.numpy())
        self._moves += 1
        ends, margins = rollout.ends[step], rollout.margins[step]
        self.device.launch(write_begins_endgame, batch.size, batch.rules.game, self.states, self._every_env, ends)
        done = self.states["done"]
        ends |= done
        self.device.launch(write_margins, batch.size, batch.rules.game, self.states, margins)
        margins *= done
        finished = ends.nonzero().squeeze(1)
        if len(finished):
            self._deal(finished)

    def _saved_tensors(self) -> dict[str, Tensor]:
        return {
            "states": self.states.bytes,
            "deals": self._deals,
            "deals_of_env": self._mix.deals_of_env,
            "learner_seat": self._mix.learner_seat,
            "moves": self._moves,
        }

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Return everything that the next rollout depends on but the policy: arrays with one row per environment.

        ``counts`` alone has a single row.
        """
        saved: dict[str, npt.NDArray[Any]] = {
            name: tensor.cpu().numpy().copy() for name, tensor in self._saved_tensors().items()
        }
        saved["counts"] = np.array([[self._next_deal, self.rollouts]], np.int64)
        log = getattr(self.batch, "log", None)
        if log is not None:
            saved |= {"log_actions": log.actions.copy(), "log_counts": log.counts.copy()}
        return saved

    def load_state(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        """Restore what :meth:`state` returned.

        Raises:
            ValueError: if environments had other opponents.
        """
        if ((state["learner_seat"] >= 0) != (self.opponent_of.cpu().numpy() >= 0)).any():
            raise ValueError("the shares of the opponents cannot change within a run")
        log = getattr(self.batch, "log", None)
        if log is not None:
            log.actions[:], log.counts[:] = state["log_actions"], state["log_counts"]
        for name, tensor in self._saved_tensors().items():
            tensor.copy_(torch.from_numpy(np.ascontiguousarray(state[name])))
        self._next_deal, self.rollouts = map(int, state["counts"][0])

"""Self-play rollouts: kernels step many deals at once and write straight into tensors, without copies.

Views are made canonical (``agents/policy/canonical.py``) before anything is written, so the policy is equivariant by
construction: permuting the plain suits of a deal permutes its cards and changes nothing else. No augmentation is
needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from german_whist.agents.policy.canonical_kernels import RELABELING_SIZE
from german_whist.agents.policy.inputs import input_high, num_outputs
from german_whist.agents.policy.network.layers import OBSERVATION, UNIVERSAL
from german_whist.envs.agent import Agent, as_agent, ask
from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.engine.endgame_hook import EXACT
from german_whist.envs.engine.rules import rules
from german_whist.envs.observation.views import VIEW
from german_whist.envs.simulator.batch import DealBatch
from german_whist.envs.simulator.state_check import check_logged_actions, check_states
from german_whist.training.config import SELF
from german_whist.training.rollout_kernels import (
    margins,
    observe_envs,
    sample_actions,
    write_encoded_actions,
)

TRAINING_DEALS = 2**62  # evaluations play deals below, so that no run has met them, whatever its seed
DEALS_PER_PROCESS = 2**40  # each process deals from its own range
IMPOSSIBLE = "its deals, moves or seats are impossible"

Network = Callable[[torch.Tensor], torch.Tensor]
Opponents = Mapping[str, Callable[[int], Agent]]  # from the number of a rollout to the agent, by name


class OpponentSampler:
    """The opponent and the learner's seat of each environment.

    Attributes:
        opponent_of: int64[num_envs], index of the opponent, the learner itself not counted; −1 where the learner
            holds both seats.
        learner_seat: int8[num_envs], the learner's seat; −1 where it holds both.
        deals_of_env: int64[num_envs], deals so far.
    """

    def __init__(self, shares: Iterable[tuple[float, bool]], num_envs: int) -> None:
        """Give each opponent its share of the environments.

        Args:
            shares: weight of each opponent, above 0, and whether it is the learner itself; the sum need not be 1.
            num_envs: deals stepped together.

        Raises:
            ValueError: when a share is less than one environment.
        """
        self.opponent_of = _opponent_of(list(shares), num_envs)
        self.learner_seat = np.full(num_envs, -1, np.int8)
        self.deals_of_env = np.zeros(num_envs, np.int64)

    def assign_seats(self, envs: npt.NDArray[np.int64], dealers: npt.NDArray[np.int8]) -> None:
        """Seat the learner in new deals: dealer and non-dealer in turn, or both.

        Args:
            envs: int64[n], environments with new deals.
            dealers: int8[n], their dealers.
        """
        # Neighbouring environments differ, so that the learner deals half the time even in a few deals.
        is_dealer = (envs + self.deals_of_env[envs]) % 2 == 1
        seat = np.where(is_dealer, dealers, 1 - dealers)
        self.learner_seat[envs] = np.where(self.opponent_of[envs] < 0, -1, seat)
        self.deals_of_env[envs] += 1

    def learner_acts(self, turn: npt.NDArray[np.int8]) -> npt.NDArray[np.bool_]:
        """Return where the learner is to act, bool[num_envs], for the seats to act, int8[num_envs]."""
        acts: npt.NDArray[np.bool_] = (self.learner_seat < 0) | (self.learner_seat == turn)
        return acts


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
    """Return the index of the first deal of process ``rank``; its range has ``DEALS_PER_PROCESS`` deals."""
    return TRAINING_DEALS + rank * DEALS_PER_PROCESS


def save_deals(batch: DealBatch, mix: OpponentSampler, deals: npt.NDArray[np.uint64]) -> dict[str, npt.NDArray[Any]]:
    """Return deals in the middle of play, and seats, as arrays with one row per environment.

    Args:
        batch: the deals.
        mix: opponents and seats.
        deals: uint64[num_envs], index of each deal.
    """
    logged: dict[str, npt.NDArray[Any]] = {}
    if batch.log is not None:
        logged = {"log_actions": batch.log.actions.copy(), "log_counts": batch.log.counts.copy()}
    return logged | {
        "states": batch.states.view(np.uint8).reshape(batch.size, -1).copy(),
        "deals": deals.astype(np.int64),
        "deals_of_env": mix.deals_of_env.copy(),
        "learner_seat": mix.learner_seat.copy(),
    }


def check_layout(saved: Mapping[str, npt.NDArray[Any]], own: Mapping[str, npt.NDArray[Any]]) -> None:
    """Refuse saved arrays whose names, shapes or types are not those of ``own``.

    Raises:
        ValueError: if they are of another number of environments or of another version of the engine.
    """
    for name, array in own.items():
        if name not in saved or saved[name].shape != array.shape or saved[name].dtype != array.dtype:
            raise ValueError(f"its {name} are not those of {len(own['states'])} environments of this version")


def load_deals(
    saved: Mapping[str, npt.NDArray[Any]], batch: DealBatch, mix: OpponentSampler, deals: npt.NDArray[np.uint64]
) -> None:
    """Restore what :func:`save_deals` returned, in place; nothing changes if it is refused.

    Raises:
        ValueError: if no game leads to these deals, or their layout is another.
    """
    check_layout(saved, save_deals(batch, mix, deals))
    states = np.ascontiguousarray(saved["states"]).view(batch.states.dtype)[:, 0]
    check_states(batch.rules, states)  # kernels do not
    seats, has_opponent = saved["learner_seat"], mix.opponent_of >= 0
    seats_are_known = np.where(has_opponent, (seats == 0) | (seats == 1), seats == -1)
    if not (seats_are_known & (saved["deals"] >= 0) & (saved["deals_of_env"] >= 0)).all():
        raise ValueError(IMPOSSIBLE)
    if batch.log is not None:
        check_logged_actions(batch.rules, states, saved["log_actions"], saved["log_counts"])
        batch.log.actions[:], batch.log.counts[:] = saved["log_actions"], saved["log_counts"]
    batch.states[:] = states
    deals[:] = saved["deals"].astype(np.uint64)
    mix.deals_of_env[:] = saved["deals_of_env"]
    mix.learner_seat[:] = seats


@dataclass
class Rollout:
    """``num_steps`` decisions in every environment.

    Attributes:
        features: int8[steps, envs, features], the observation of the seat to act.
        masks: bool[steps, envs, actions], legal actions.
        actions: int64[steps, envs], canonical.
        logits: float32[steps, envs, actions], the policy's where the learner had a choice; elsewhere 0.
        seats: int8[steps, envs], the seat that decides.
        ends: bool[steps, envs], whether the deal ended before the environment's next decision.
        margins: float32[steps, envs], seat 0's final margin of counted tricks where the deal ended; elsewhere 0.
        learner_mask: bool[steps, envs], whether the learner decided, not an opponent.
        has_choice: bool[steps, envs], whether there were two actions or more.
    """

    features: torch.Tensor
    masks: torch.Tensor
    actions: torch.Tensor
    logits: torch.Tensor
    seats: torch.Tensor
    ends: torch.Tensor
    margins: torch.Tensor
    learner_mask: torch.Tensor
    has_choice: torch.Tensor

    @classmethod
    def empty(cls, steps: int, envs: int, features: int, actions: int) -> Rollout:
        """Return buffers to be filled."""
        shape = (steps, envs)
        return cls(
            torch.zeros((*shape, features), dtype=torch.int8),
            torch.zeros((*shape, actions), dtype=torch.bool),
            torch.zeros(shape, dtype=torch.int64),
            torch.zeros((*shape, actions), dtype=torch.float32),
            torch.zeros(shape, dtype=torch.int8),
            torch.zeros(shape, dtype=torch.bool),
            torch.zeros(shape, dtype=torch.float32),
            torch.zeros(shape, dtype=torch.bool),
            torch.zeros(shape, dtype=torch.bool),
        )


class Collector:
    """Plays the learner's policy in many deals at once, with exact endgames, and records every decision.

    In some environments the learner holds both seats. In the others it is dealer and non-dealer in turn, and an
    opponent holds the other seat; its decisions are recorded too.

    Attributes:
        batch: the deals.
        relabeling: int8[envs, RELABELING_SIZE], the relabelings of the current decisions.
        universal: whether the policy sees the universal encoding.
        num_steps: decisions of each environment in a rollout.
        high: largest value of each feature, int8[features].
        num_actions: actions that the policy chooses from.
        seed: seed of the deals and the sampled actions.
        rank: index of this process.
        rollouts: rollouts begun so far.
        opponent_names: what the opponents are called in the configuration.
        opponents: the agents that play the current rollout.
        opponent_of: int64[envs], the number of each environment's opponent; −1 where the learner holds both seats.
        rollout: the buffers that a rollout fills; the next one overwrites them.
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
    ) -> None:
        """Deal the first deals.

        Args:
            game: specification of the game.
            num_envs: deals stepped together.
            num_steps: decisions of each environment in a rollout.
            shares: shares of the environments against ``self`` and the opponents by name.
            opponents: for each name in ``shares`` except ``self``.
            seed: seed of the deals and the sampled actions.
            inputs: what the policy sees, ``"observation"`` or ``"universal"``.
            history: keep event histories, for opponents that use them.
            rank: index of this process.
            dealt: deals of this process before.

        Raises:
            ValueError: when the game has no open endgame, or a share is less than one environment.
        """
        played = rules(game)
        self.batch = DealBatch(played, num_envs, seed, history=history, endgame=EXACT)
        self.high = input_high(played, inputs)
        self.num_actions = num_outputs(played, inputs)
        self.universal = inputs == UNIVERSAL
        self.relabeling = np.zeros((num_envs, RELABELING_SIZE), np.int8)
        self.num_steps = num_steps
        self.seed = seed
        self._mix = OpponentSampler(((share, name == SELF) for name, share in shares.items()), num_envs)
        self.opponent_names = [name for name in shares if name != SELF]
        self._makers = [opponents[name] for name in self.opponent_names]
        self.opponents: list[Agent] = []
        self.opponent_of = self._mix.opponent_of
        self.rank = rank
        self._first_deal = first_training_deal(rank)
        self._next_deal = dealt
        self.rollouts = 0
        self._deals = np.zeros(num_envs, np.uint64)
        self._moves = np.zeros(num_envs, np.int64)
        self._views = np.zeros(2, VIEW)
        self._decoded_actions = np.zeros(num_envs, np.int64)
        self._margins = np.zeros(num_envs, np.float32)
        self.rollout = Rollout.empty(num_steps, num_envs, len(self.high), self.num_actions)
        self._deal(np.arange(num_envs))

    @property
    def dealt(self) -> int:
        """Deals of this process so far, those before this collector included."""
        return self._next_deal

    def _deal(self, envs: npt.NDArray[np.int64]) -> None:
        """Deal the next deals into some environments, and seat the learner."""
        deals = np.arange(self._next_deal, self._next_deal + len(envs), dtype=np.uint64) + np.uint64(self._first_deal)
        self._next_deal += len(envs)
        self._deals[envs] = deals
        self._moves[envs] = 0
        self.batch.deal_rows(envs, deals)
        self._mix.assign_seats(envs, self.batch.states["dealer"][envs])

    def begin_rollout(self) -> None:
        """Take the opponents of the next rollout, who also take over the deals in progress."""
        self.opponents = [as_agent(maker(self.rollouts), self.batch.rules) for maker in self._makers]
        self.rollouts += 1

    def observe(self, step: int) -> None:
        """Write the observations of the current decisions."""
        rollout, batch = self.rollout, self.batch
        features, masks = rollout.features[step].numpy(), rollout.masks[step].numpy()
        observe_envs(batch.rules.game, batch.states, self._views, features, masks, self.relabeling, self.universal)
        rollout.seats[step].numpy()[:] = batch.turn
        rollout.has_choice[step] = rollout.masks[step].sum(1) > 1

    def choose(self, step: int, policy: Network) -> None:
        """Choose the actions of the current decisions, which are not played yet.

        Args:
            step: the step of the rollout.
            policy: float32[rows, actions], logits, for observations int8[rows, features].

        Raises:
            FloatingPointError: when logits are not finite.
        """
        rollout = self.rollout
        learner_mask = rollout.learner_mask[step].numpy()
        learner_mask[:] = self._mix.learner_acts(self.batch.turn)
        choices = (rollout.learner_mask[step] & rollout.has_choice[step]).nonzero().squeeze(1)
        logits = rollout.logits[step].zero_()
        logits[choices] = policy(rollout.features[step, choices])
        sample_actions(
            logits.numpy(),
            rollout.masks[step].numpy(),
            self.relabeling,
            np.uint64(self.seed),
            self._deals,
            self._moves,
            rollout.actions[step].numpy(),
            self._decoded_actions,
        )
        if (self._decoded_actions < 0).any():
            raise FloatingPointError("logits are not finite")
        for number, opponent in enumerate(self.opponents):
            envs = np.flatnonzero(~learner_mask & (self._mix.opponent_of == number))
            if len(envs):
                rng = AgentRng(self.seed, self._deals[envs], stream=number, step=self._moves[envs])
                self._decoded_actions[envs] = ask(opponent, self.batch, envs, rng)
                write_encoded_actions(envs, self._decoded_actions, self.relabeling, rollout.actions[step].numpy())

    def play(self, step: int) -> None:
        """Play the chosen actions, and deal anew where a deal is over."""
        rollout, batch = self.rollout, self.batch
        batch.step(self._decoded_actions)
        self._moves += 1
        margins(batch.rules.game, batch.states, self._margins)
        rollout.ends[step].numpy()[:] = batch.done
        rollout.margins[step].numpy()[:] = np.where(batch.done, self._margins, np.float32(0))
        finished = np.flatnonzero(batch.done)
        if len(finished):
            self._deal(finished)

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Return everything but the policy that the next rollout depends on, as arrays with one row per environment."""
        return save_deals(self.batch, self._mix, self._deals) | {
            "moves": self._moves.copy(),
            "counts": np.array([[self._next_deal, self.rollouts]], np.int64),
        }

    def load_state(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        """Restore what :meth:`state` returned.

        Raises:
            ValueError: when it is of another number of environments or of another version of the engine.
        """
        check_layout(state, self.state())
        moves, counts = state["moves"], state["counts"]
        moves_are_possible = ((moves >= 0) & (moves < 2**16)).all()
        if not moves_are_possible or not ((counts >= 0) & (counts < DEALS_PER_PROCESS)).all():
            raise ValueError(IMPOSSIBLE)
        load_deals(state, self.batch, self._mix, self._deals)
        self._moves[:] = moves
        self._next_deal, self.rollouts = map(int, counts[0])

"""The Gymnasium vector environment with tensors: everything stays on a device, as in ManiSkill and Isaac Lab."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from german_whist.envs.agent import AgentLike
from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.engine.endgame_hook import PLAYED, EndgameHook
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.engine.scoring import check_dense, check_reward, reward_limit
from german_whist.envs.observation.spaces import observation_space
from german_whist.envs.observation.vector_kernels import write_observations
from german_whist.envs.simulator.batch import DealBatch
from german_whist.envs.simulator.batch_kernels import write_is_refused
from german_whist.envs.simulator.reset_options import draw_seed, read_options
from german_whist.envs.turns import PlaysOpponent, check_seat
from german_whist.envs.utils.checks import check_seed, whole_number

if TYPE_CHECKING:
    from torch import Tensor

Info = dict[str, Any]


class GermanWhistTensorEnv(PlaysOpponent, VectorEnv[Any, Any, Any]):
    """Many deals at once on a device, with the learner to act in each row; ``make_vec(…, device="cuda")`` makes it.

    Deals, seats, observations and rewards are those of ``GermanWhistVectorEnv`` with ``SAME_STEP``: a row whose deal is
    over is dealt again in the same step. Only the types differ:

    * Observations int8[num_envs, n_obs], actions int64[num_envs], rewards float32[num_envs], terminations and
      truncations bool[num_envs]: torch tensors on the device.
    * ``info["action_mask"]``: int8[num_envs, n_actions]; ``info["illegal"]``: bool[num_envs], rows that an illegal
      action has just ended.
    * ``info["final_obs"]``: int8[num_envs, n_obs], the last observations of the deals that ended, valid in the rows
      ``info["_final_obs"]``, bool[num_envs]. Both are present only after a step in which a deal ended.

    Opponents that are networks or rule bots choose on the device; other agents choose on the host.

    Example:
        >>> envs = gymnasium.make_vec("german_whist:GermanWhist-v0", num_envs=65_536, device="cuda")
        >>> observations, info = envs.reset(seed=0)
        >>> actions = torch.multinomial(info["action_mask"].float(), 1).squeeze(1)
        >>> observations, rewards, terminations, truncations, info = envs.step(actions)

    Attributes:
        rules: the rules of every deal.
        opponent: the agent that plays against the learner in all rows; it may be replaced between two steps.
        device: the ``torch.device``.
        learners: the learner's seat in each row, int64[num_envs].
    """

    _keeps_histories = False
    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012

    def __init__(
        self,
        opponent: AgentLike,
        num_envs: int = 1,
        rules: str | Rules = "classic",
        *,
        reward: str = "margin",
        seat: int | str = "alternate",
        endgame: str | EndgameHook = PLAYED,
        canonical: bool = False,
        dense: bool = False,
        device: Any = "cpu",
    ) -> None:
        """Create the environment; ``reset`` deals.

        Args:
            opponent: an agent's specification, or an agent object.
            num_envs: number of rows, at least 1.
            rules: a preset's name, optionally with settings, or ``Rules``.
            reward: ``"margin"``, ``"win"`` or ``"points"``.
            seat: the learner's seat, 0, 1 or ``"alternate"``.
            endgame: ``"played"`` or ``"exact"``.
            canonical: whether observations, masks and the learner's actions have relabeled suits.
            dense: whether the margin is paid trick by trick.
            device: torch's name for it, such as ``"cuda"``.

        Raises:
            ValueError: if an argument is not allowed, or the opponent uses histories, which are not kept on a device.
            ModuleNotFoundError: if torch or, for a GPU, numba-cuda is not installed.
        """
        import torch

        self.rules = rules_named(rules)
        self.opponent = opponent
        check_seat(seat)
        check_reward(reward)
        if dense:
            check_dense(reward, None)
        self.num_envs = whole_number("num_envs", num_envs, 1)
        self._batch = DealBatch(self.rules, self.num_envs, endgame=endgame, canonical=canonical, device=device)
        self.canonical, self.dense = canonical, dense
        self.device = self._batch.device
        self.seat, self.reward = seat, reward
        self.render_mode = None
        self.learners = torch.zeros(self.num_envs, dtype=torch.int64, device=self.device)
        self.single_observation_space = observation_space(self.rules, None, None)
        self.single_action_space = Discrete(self.rules.num_actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._limit = reward_limit(self.rules.game, reward)
        self._every_row = torch.arange(self.num_envs, device=self.device)
        self._numbers = torch.zeros_like(self._every_row)
        self._plies = torch.zeros_like(self._every_row)
        self._margins = torch.zeros(self.num_envs, device=self.device)  # what dense rewards have already paid
        self._seed: int | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Tensor, Info]:
        """Start a deal in every row, and let the opponent play where it leads.

        Args:
            seed: row j starts with deal (seed, j) and continues with (seed, j + num_envs), (seed, j + 2 num_envs), …
                after each deal and at each reset without a seed. If none was ever given, a random one is drawn.
            options: ``"deal"``: (seed, index) of row 0's deal; row j gets deal (seed, index + j).

        Returns:
            The learner's observations, int8[num_envs, n_obs], and the info.

        Raises:
            ValueError: if the seed or an option is not allowed.
        """
        import torch

        first, deck, dealer = read_options(options, self.rules.cards, match=False)
        if deck is not None or dealer is not None:
            raise ValueError(f"on a device, options may have 'deal' alone, got {sorted(options or {})}")
        if first is None and seed is not None:
            first = check_seed(seed), 0
            super().reset(seed=int(seed))
        if first is None and self._seed is not None:
            self._start(self._every_row, self._numbers + self.num_envs)
        else:
            self._seed, start = (draw_seed(), 0) if first is None else first
            check_seed(start + self.num_envs - 1, "deal index")
            numbers = np.uint64(start) + np.arange(self.num_envs, dtype=np.uint64)
            self._start(self._every_row, torch.from_numpy(numbers.view(np.int64)).to(self.device))
        while self._let_opponent_play():
            pass
        if self.dense:
            self._margins = self._margins_so_far()
        return self._batch.observe(), self._info(torch.zeros_like(self._batch.done))

    def step(self, actions: Any) -> tuple[Tensor, Tensor, Tensor, Tensor, Info]:
        """Play an action for the learner in every row, and let the opponent play until it is the learner's turn again.

        An illegal action, or one outside the action space, ends the deal of its row with the lowest reward possible.

        Args:
            actions: whole numbers, int[num_envs], on the device.

        Returns:
            Observations int8[num_envs, n_obs], rewards float32[num_envs], terminations bool[num_envs], truncations
            bool[num_envs] (all false), and the info.

        Raises:
            ValueError: if they are not whole numbers or have another shape.
            ResetNeeded: before the first reset.
        """
        import torch

        if self._seed is None:
            raise ResetNeeded("step was called before the first reset")
        given = torch.as_tensor(actions, device=self.device)
        if given.is_floating_point() or given.dtype == torch.bool or tuple(given.shape) != (self.num_envs,):
            raise ValueError(f"actions must be int[{self.num_envs}], got {given.dtype}{list(given.shape)}")
        given = given.to(torch.int64).contiguous()
        batch = self._batch
        if self.canonical:
            given = batch.decoded(given, self._every_row)
        illegal = torch.empty(self.num_envs, dtype=torch.bool, device=self.device)
        batch.on.run(write_is_refused, self.num_envs, batch.states, self._every_row, given, illegal)
        rows = (~illegal).nonzero().squeeze(1)
        batch.step_unchecked(rows, given[rows])
        self._plies[rows] += 1
        rewards = torch.where(illegal, -self._limit, 0.0)
        ended = torch.zeros_like(illegal)
        final_obs: Tensor | None = None
        over = batch.done | illegal
        # A new deal may begin with the opponent's lead, and even end by its action, so both alternate until every row
        # waits for the learner.
        while True:
            finished = over.nonzero().squeeze(1)
            if len(finished):
                won = (over & ~illegal).nonzero().squeeze(1)
                rewards[won] = batch.returns(self.reward)[won, self.learners[won]]
                seen = torch.empty((len(finished), batch.num_observations), dtype=torch.int8, device=self.device)
                views = batch.shown_views(finished, self.learners[finished])
                batch.on.run(write_observations, len(finished), self.rules.game, views, seen)
                if final_obs is None:
                    final_obs = seen.new_empty((self.num_envs, batch.num_observations))
                final_obs[finished] = seen
                ended |= over
                self._start(finished, self._numbers[finished] + self.num_envs)
            if not self._let_opponent_play():
                break
            over = batch.done & ~ended
        if self.dense:
            before, self._margins = self._margins, self._margins_so_far()
            rewards = torch.where(ended, rewards, self._margins) - before
        info = self._info(illegal)
        if final_obs is not None:
            info |= {"final_obs": final_obs, "_final_obs": ended}
        return batch.observe(), rewards, ended, torch.zeros_like(ended), info

    def _margins_so_far(self) -> Tensor:
        """Return the learner's margin in each row, float32[num_envs]."""
        margins: Tensor = self._batch.margins()[self._every_row, self.learners]
        return margins

    def _start(self, rows: Tensor, numbers: Tensor) -> None:
        """Deal the given deals of the seed into some rows, and seat the learner."""
        import torch

        seeds = np.full(len(rows), self._seed, np.uint64)
        self._batch.deal_rows(rows, numbers, seeds)
        self._numbers[rows], self._plies[rows] = numbers, 0
        self.learners[rows] = numbers >> 1 & 1 if self.seat == "alternate" else torch.full_like(numbers, int(self.seat))

    def _let_opponent_play(self) -> bool:
        """Let the opponent play one action in every row where it is to act; return whether there was one."""
        batch = self._batch
        rows = ((batch.turn != self.learners) & ~batch.done).nonzero().squeeze(1)
        if not len(rows):
            return False
        deals = self._numbers[rows].cpu().numpy().view(np.uint64)
        rng = AgentRng(int(self._seed or 0), deals, 0, self._plies[rows].cpu().numpy())
        batch.step_unchecked(rows, self.opponent.act_on(batch.on, batch.views(rows), rng))
        self._plies[rows] += 1
        return True

    def _info(self, illegal: Tensor) -> Info:
        return {"action_mask": self._batch.action_mask(), "illegal": illegal}

    def action_masks(self) -> Tensor:
        """Return which actions are legal, bool[num_envs, n_actions].

        Raises:
            ResetNeeded: before the first reset.
        """
        import torch

        if self._seed is None:
            raise ResetNeeded("action_masks was called before the first reset")
        masks: Tensor = self._batch.action_mask().to(torch.bool)
        return masks

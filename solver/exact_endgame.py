"""The setting ``endgame="exact"`` of environments: deals end where the endgame begins, as if played perfectly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from german_whist.game.rules import Rules
from german_whist.game.state import FOREPLAY, STATE
from german_whist.game.utils.backend import StructTensor, TorchBackend
from german_whist.solver.device_endgames import tricks_of_states
from german_whist.solver.endgames import solve_endgames
from german_whist.solver.races import solve_races
from german_whist.solver.tablebase.position_kernels import MAX_CARDS

if TYPE_CHECKING:
    from torch import Tensor


def can_solve_endgame(rules: Rules) -> bool:
    """Return whether the endgame of a game can be solved: both hands are known, and they are not too large."""
    return not rules.humbug and rules.hand <= MAX_CARDS


class ExactEndgameHook:
    """Finishes deals by perfect play: for the most tricks, in low games for the fewest, in races for the margin."""

    def check(self, rules: Rules) -> None:
        """Refuse rules whose endgame cannot be solved.

        Raises:
            ValueError: if a hand stays hidden or is too large; the message names the setting of the rules.
        """
        if rules.humbug:
            raise ValueError(
                "rules: the endgame cannot be solved with humbug=True: it is not open, as blind hands stay hidden"
            )
        if rules.hand > MAX_CARDS:
            raise ValueError(
                f"rules: the endgame cannot be solved with hand={rules.hand}: "
                f"hands of up to {MAX_CARDS} cards are allowed"
            )

    def finish(self, rules: Rules, states: np.ndarray[Any, Any]) -> npt.NDArray[np.int8]:
        """Return the tricks that both seats take in the endgame, int8[k, 2] by seat.

        Args:
            rules: the rules of the deals.
            states: ``STATE`` array of shape (k,), each before the first card of its endgame.
        """
        rows = np.arange(len(states))
        leaders = states["turn"].astype(np.int64)
        hands, trumps = states["hands"], states["trump"]
        own, other = hands[rows, leaders], hands[rows, 1 - leaders]
        tricks = np.empty((len(states), 2), np.int8)
        if rules.race:
            taken = states["tricks"][:, FOREPLAY] if rules.counts == "all" else np.zeros((len(states), 2), np.int8)
            needs = (rules.race - taken)[rows[:, None], np.stack([leaders, 1 - leaders], axis=1)]
            solved = solve_races(own, other, trumps, needs=needs)
            tricks[rows, leaders], tricks[rows, 1 - leaders] = solved[:, 0], solved[:, 1]
        else:
            solved = solve_endgames(own, other, trumps=trumps, lows=states["low"].astype(np.bool_))
            tricks[rows, leaders], tricks[rows, 1 - leaders] = solved, rules.hand - solved
        return tricks

    def finish_on(self, device: TorchBackend, rules: Rules, states: StructTensor) -> Tensor:
        """Return what :meth:`finish` does, for states in tensors: int8[k, 2] by seat.

        A GPU looks the endgames up in a complete table. Races, and states on the CPU, are solved by search on the CPU.

        Args:
            device: where the states are.
            rules: the rules of the deals.
            states: k records of ``STATE``, each before the first card of its endgame.
        """
        import torch

        if device.is_gpu and not rules.race:
            return tricks_of_states(device, states)
        on_host = states.bytes.cpu().numpy().view(STATE)[:, 0]
        return torch.from_numpy(self.finish(rules, on_host)).to(device.torch_device)

"""``random``: a uniformly random legal action."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from german_whist.agents.base import POLICY, Agent, Evaluation, Field
from german_whist.game.utils.backend import Array
from german_whist.game.utils.bit_kernels import nth_lowest, popcount
from german_whist.game.utils.jit import kernel
from german_whist.simulator.decisions import Decisions


@kernel
def pick(legal: npt.NDArray[np.uint64], uniform: npt.NDArray[np.float64], actions: npt.NDArray[np.int64]) -> None:
    """Write action number ``floor(uniform * n)`` of the ``n`` actions in each mask.

    Args:
        legal: masks, uint64[k].
        uniform: numbers in [0, 1), float64[k].
        actions: int64[k], overwritten.
    """
    for i in range(legal.shape[0]):
        actions[i] = nth_lowest(legal[i], np.int64(uniform[i] * popcount(legal[i])))


class RandomBot(Agent):
    """Plays a uniformly random legal action."""

    name = "random"
    takes_tensors = True
    evaluates = frozenset({POLICY})

    def act(self, decisions: Decisions) -> Array:
        """Return one legal action per decision, int64[n]; one random number is drawn for each."""
        actions = np.empty(len(decisions), np.int64)
        pick(decisions.on_host().views["legal"], decisions.rng.random(len(decisions)), actions)
        found: Array = decisions.backend.array(actions)
        return found

    def evaluate(self, decisions: Decisions, *fields: Field) -> Evaluation:
        """Return the policy, if it is asked for."""
        masks = decisions.on_host().action_masks
        return Evaluation(policy=masks / masks.sum(axis=1, keepdims=True) if POLICY in fields else None)

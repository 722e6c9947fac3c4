"""An agent from a function of observations and masks, as any learning library has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.policy.canonical import canonical_views, decode_actions
from german_whist.envs.agent import Actions, Agent, Views
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.observation.vector import observe
from german_whist.envs.observation.vector_kernels import write_masks

Choose = Callable[[npt.NDArray[np.int8], npt.NDArray[np.bool_]], Any]


class ObservationAgent(Agent):
    """Plays what a function chooses for observations and masks, in batches.

    Example:
        >>> lowest = german_whist.ObservationAgent(lambda observations, masks: masks.argmax(axis=1), "small")
        >>> german_whist.play_match(lowest, "random", deals=100, rules="small").deals
        100

    Attributes:
        choose: the function.
        rules: the rules of the observations.
        name: what results call the agent.
        canonical: whether the function sees canonical views.
    """

    rules: Rules

    def __init__(
        self, choose: Choose, rules: str | Rules = "classic", name: str = "learner", *, canonical: bool = False
    ) -> None:
        """Wrap a function.

        Args:
            choose: called with observations int8[n, n_obs] and masks bool[n, n_actions]; returns n legal actions, as
                an array or a tensor on the CPU.
            rules: a preset's name, with settings if wanted, or ``Rules``.
            name: what results call the agent.
            canonical: whether observations, masks and actions are those of :func:`german_whist.canonical_views`.

        Raises:
            ValueError: if the rules are unknown.
        """
        self.choose = choose
        self.rules = rules_named(rules)
        self.name = name
        self.canonical = canonical

    def act(self, views: Views, rng: Any) -> Actions:
        """Return one action per view, int64[n]."""
        seen, relabeling = canonical_views(views) if self.canonical else (views, None)
        masks = np.empty((len(seen), self.rules.num_actions), np.int8)
        write_masks(len(seen), np.ascontiguousarray(seen["legal"]), masks)
        actions = np.asarray(self.choose(observe(seen, self.rules), masks.astype(np.bool_)), np.int64)
        return actions if relabeling is None else decode_actions(actions, relabeling)

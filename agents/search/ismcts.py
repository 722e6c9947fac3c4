"""``ismcts:iterations=N``: single-observer information set Monte Carlo tree search, an untuned baseline.

SO-ISMCTS (P. I. Cowling, E. J. Powley and D. Whitehouse, "Information set Monte Carlo tree search", 2012) grows one
tree per decision, over the information sets of the seat to act. Every iteration samples a world (determinization)
uniformly from those consistent with the view (``agents/inference``) and descends by UCB1 among the actions that are
legal in it. The logarithm in UCB1 counts the visits in which an action was available. The iteration adds one node, the
heuristic bot plays on from there to the end of the foreplay, and the endgame gets its exact value. The most visited
action is played.

The reward is 1 for a win, 0 for a loss and ½ for a draw (``win``); the margin in counted tricks, scaled from its range
to 0 … 1 (``margin``); or the mean of both (``mixed``). The opponent is assumed to minimise it, and to play in the tree
as if it saw what the searching seat sees, a known weakness of the single-observer tree.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.base import check_open_endgame
from german_whist.agents.inference.world_sampling_kernels import sample_hands
from german_whist.agents.search.ismcts_kernels import EDGE, MAX_PATH, NODE, choose_by_tree
from german_whist.agents.search.rollout_kernels import distinct_actions
from german_whist.agents.search.world_search import Decision, WorldSearcher
from german_whist.game.cards import NUM_CARDS
from german_whist.game.rules import Rules
from german_whist.game.rules import rules as get_rules
from german_whist.game.state import STATE
from german_whist.game.utils.backend import Array
from german_whist.game.utils.checks import check_int
from german_whist.game.utils.names import unknown_name_error
from german_whist.simulator.decisions import Decisions
from german_whist.simulator.observation.views import VIEW, Views
from german_whist.solver.search.transposition_table import RaceTranspositionTable, race_transposition_table

DEFAULT_ITERATIONS = 500
DEFAULT_REWARD = "mixed"
MAX_ITERATIONS = 1_000_000
WIN_WEIGHTS = {"win": 1.0, "margin": 0.0, "mixed": 0.5}  # weight of winning in each reward


class Scratch(NamedTuple):
    """Scratch memory of one thread.

    Attributes:
        states: the part of the state that the view determines, and a whole one, ``STATE`` array (2,).
        views: ``VIEW`` array (1,).
        transpositions: transposition tables for endgames.
        tree: ``NODE`` array, ``EDGE`` array, path of an iteration, and the numbers of nodes and edges.
        blinds: scratch memory of sampled worlds, int8[52].
    """

    states: npt.NDArray[Any]
    views: Views
    transpositions: RaceTranspositionTable
    tree: tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[np.int64], npt.NDArray[np.int64]]
    blinds: npt.NDArray[np.int8]


class ISMCTSAgent(WorldSearcher[Scratch]):
    """Plays the most visited action of a tree search over its information sets.

    Attributes:
        name: the specification string; a default reward is left out.
        iterations: number of worlds sampled per decision; each adds at most one node.
        reward: the reward that is maximised, ``"win"``, ``"margin"`` or ``"mixed"``.
        rules: the rules of the game that the agent plays.
    """

    def __init__(
        self,
        iterations: int = DEFAULT_ITERATIONS,
        reward: str = DEFAULT_REWARD,
        *,
        threads: int = 0,
        rules: str | Rules = "classic",
    ) -> None:
        """Set the number of iterations and the reward.

        Args:
            iterations: iterations per decision, 1 to 1,000,000.
            reward: ``"win"``, ``"margin"`` or ``"mixed"``.
            threads: number of threads, each of which searches other views; 0 for all CPU cores.
            rules: the rules of the game.

        Raises:
            ValueError: when a setting is not allowed, or the endgame of these rules is not open.
        """
        self.iterations = check_int("iterations", iterations, 1, MAX_ITERATIONS)
        if reward not in WIN_WEIGHTS:
            raise unknown_name_error("ismcts reward", reward, WIN_WEIGHTS)
        self.reward = reward
        name = f"ismcts:iterations={self.iterations}"
        super().__init__(name if reward == DEFAULT_REWARD else f"{name},reward={reward}", get_rules(rules), threads)
        check_open_endgame(self.name, self.rules)

    def new_scratch(self) -> Scratch:
        """Return scratch memory for a thread."""
        size = self.iterations + 1
        return Scratch(
            np.zeros(2, STATE),
            np.zeros(1, VIEW),
            race_transposition_table(),
            (np.zeros(size, NODE), np.zeros(size, EDGE), np.zeros(MAX_PATH, np.int64), np.zeros(2, np.int64)),
            np.empty(NUM_CARDS, np.int8),
        )

    def act(self, decisions: Decisions) -> Array:
        """Return one legal action per decision, int64[n]; one random key is drawn for each.

        Raises:
            ValueError: when no opponent hand satisfies a view.
        """
        actions = np.zeros(len(decisions), np.int64)

        def search(decision: Decision) -> None:
            actions[decision.row] = self._search(decision)

        self.search_each(decisions.on_host(), search)
        found: Array = decisions.backend.array(actions)
        return found

    def _search(self, decision: Decision) -> int:
        distinct = int(distinct_actions(decision.views[0]))
        if distinct.bit_count() == 1:
            return distinct.bit_length() - 1
        game, win_weight = self.rules.record, WIN_WEIGHTS[self.reward]
        hands = np.empty(self.iterations, np.uint64)
        sample_hands(game, decision.views, decision.key, hands)

        def grow(first: int, last: int, scratch: Scratch) -> int:
            return int(
                choose_by_tree(game, decision.views, hands, decision.key, win_weight, decision.tablebase, scratch)
            )

        [action] = decision.run(grow, 1)  # a single tree is not split among threads
        return action

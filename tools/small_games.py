"""Measures algorithms in games so small that NashConv is exact.

    python -m tools.small_games                 # the list
    python -m tools.small_games cfr-plus        # run on both decks, append a line of JSON a point
    python -m tools.small_games all             # what is missing; can be stopped and started again
    python -m tools.small_games --table         # print the results as a table

OpenSpiel computes NashConv for every algorithm; agents are asked for their probabilities in every state. The utility
is the margin. Lengths and seeds of runs are fixed. Processor time is that of one thread, without the measuring.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tools.baselines import ROOT, append, finished, load_example, run_in
from tools.markdown import markdown_table

RESULTS = ROOT / "docs" / "explanation" / "small_games.jsonl"
DECKS = {"two suits": "six_cards:draft=true", "one suit": "six_cards:suits=1,ranks=6,draft=true"}
RANGE = 4  # margins from -2 to 2
SEED = 1
NFSP = {  # settings of OpenSpiel's example for Leduc poker
    "hidden_layers_sizes": [128],
    "reservoir_buffer_capacity": 2_000_000,
    "replay_buffer_capacity": 200_000,
    "anticipatory_param": 0.1,
    "epsilon_start": 0.06,
    "epsilon_end": 0.001,
    "epsilon_decay_duration": 20_000_000,
    "update_target_network_every": 19_200,
}

Chances = dict[int, float]  # the probability of each legal action


class SmallGame:
    """A game of this package and its tree, which OpenSpiel's C++ walks a hundred times as fast.

    Attributes:
        rules: the specification of the rules.
        game: the OpenSpiel game of this package.
        tree: the same game, as a tree in memory.
        nodes: number of nodes of the tree.
        states: a state of ``tree`` and one of ``game``, by information set of the tree.
    """

    def __init__(self, rules: str) -> None:
        """Unfold the tree."""
        import pyspiel
        from open_spiel.python.algorithms.gambit import export_gambit

        from german_whist.openspiel import load_game

        self.rules, self.game = rules, load_game(rules)
        self.tree = pyspiel.load_efg_game(export_gambit(self.game))
        self.nodes, self.states = 0, dict[str, tuple[Any, Any]]()
        self._collect(self.tree.new_initial_state(), self.game.new_initial_state())

    def _collect(self, node: Any, state: Any) -> None:
        self.nodes += 1
        if not (node.is_terminal() or node.is_chance_node()):
            self.states[node.information_state_string()] = node, state
        for theirs, own in self.actions(node, state).items():
            self._collect(node.child(theirs), state.child(own))

    @staticmethod
    def actions(node: Any, state: Any) -> dict[int, int]:
        """Return the action of ``game`` for each action of ``tree``."""
        own = {state.action_to_string(action): action for action in state.legal_actions()}
        return {action: own[node.action_to_string(action)] for action in node.legal_actions()}

    def table(self, chances: Callable[[Any], Chances]) -> Any:
        """Return the tree's policy with the chances that a function returns for states of ``game``."""
        import pyspiel

        found = {}
        for key, (node, state) in self.states.items():
            by_action = chances(state)
            found[key] = [(theirs, by_action[own]) for theirs, own in self.actions(node, state).items()]
        return pyspiel.TabularPolicy(found)

    def nash_conv(self, policy: Any) -> float:
        """Return the exact NashConv of a policy of the tree."""
        import pyspiel

        return float(pyspiel.nash_conv(self.tree, policy, True))


class Point(NamedTuple):
    """The result of an algorithm after some steps.

    Attributes:
        visited: states visited so far.
        policy: its policy, of the tree.
        chances: instead, the policy of its network, for states of the game.
    """

    visited: int
    policy: Any = None
    chances: Callable[[Any], Chances] | None = None


def cfr_plus(game: SmallGame, steps: Sequence[int]) -> Iterator[Point]:
    """Run OpenSpiel's CFR+; yield the average policy after some iterations."""
    import pyspiel

    solver = pyspiel.CFRPlusSolver(game.tree)
    for step in range(1, steps[-1] + 1):
        solver.evaluate_and_update_policy()
        if step in steps:
            yield Point(2 * step * game.nodes, solver.average_policy())  # one seat after the other


def mccfr(game: SmallGame, steps: Sequence[int]) -> Iterator[Point]:
    """Run OpenSpiel's external-sampling MCCFR; yield the average policy after some iterations."""
    import numpy as np
    import pyspiel
    from open_spiel.python.algorithms.external_sampling_mccfr import ExternalSamplingSolver

    class Counted(ExternalSamplingSolver):  # type: ignore[misc]
        visited = 0

        def _update_regrets(self, state: Any, player: int) -> Any:
            self.visited += 1
            return super()._update_regrets(state, player)

    np.random.seed(SEED)
    solver = Counted(game.tree)
    for step in range(1, steps[-1] + 1):
        solver.iteration()
        if step in steps:
            average = solver.average_policy().action_probabilities
            table = {key: list(average(node).items()) for key, (node, _) in game.states.items()}
            yield Point(solver.visited, pyspiel.TabularPolicy(table))


def nfsp(game: SmallGame, steps: Sequence[int]) -> Iterator[Point]:
    """Run OpenSpiel's NFSP; yield the average policy after some deals."""
    from open_spiel.python import rl_environment
    from open_spiel.python.pytorch import nfsp as library

    environment = rl_environment.Environment(game.game)
    environment.seed(SEED)
    size, actions = environment.observation_spec()["info_state"][0], environment.action_spec()["num_actions"]
    agents = [library.NFSP(seat, size, actions, seed=SEED + 10 * seat, **NFSP) for seat in (0, 1)]

    def chances(state: Any) -> Chances:
        seat, legal = state.current_player(), state.legal_actions()
        seen = {"info_state": {seat: state.information_state_tensor(seat)}, "legal_actions": {seat: legal}}
        at = rl_environment.TimeStep({**seen, "current_player": seat}, None, None, None)
        with agents[seat].temp_mode_as(library.MODE.AVERAGE_POLICY):
            probabilities = agents[seat].step(at, is_evaluation=True).probs
        return {action: float(probabilities[action]) for action in legal}

    visited = 0
    for step in range(1, steps[-1] + 1):
        at = environment.reset()
        while not at.last():
            at = environment.step([agents[at.observations["current_player"]].step(at).action])
            visited += 1
        for agent in agents:
            agent.step(at)
        if step in steps:
            yield Point(visited, chances=chances)


def best_card(chances: Callable[[Any], Chances]) -> Callable[[Any], Chances]:
    """Return the policy that plays the most probable action of another."""

    def best(state: Any) -> Chances:
        found = chances(state)
        chosen = max(found, key=lambda action: found[action])
        return {action: float(action == chosen) for action in found}

    return best


def chances_of(rules: str, probabilities: Callable[[Any], Any]) -> Callable[[Any], Chances]:
    """Return a function of states that asks a function of decisions, which returns float[n, actions]."""
    import german_whist as gw

    def chances(state: Any) -> Chances:
        row = probabilities(gw.Decisions(state.deal.view(state.current_player()), rules))[0]
        return {action: float(row[action]) for action in state.legal_actions()}

    return chances


def self_play_ppo(game: SmallGame, steps: Sequence[int]) -> Iterator[Point]:
    """Train ``examples/self_play_pool.py`` for some updates, each on 1,024 deals; yield its network's policy."""
    import torch

    import german_whist as gw

    example: Any = load_example("self_play_pool.py")
    rules = game.rules
    example.GAME["rules"] = rules
    example.INPUTS = gw.DealBatch(rules, 1).decisions().observations.shape[1]
    example.ACTIONS = gw.rules(rules).num_actions
    for updates in steps:
        training = example.Training(SEED)
        while training.updates < updates:
            training.update()

        @torch.no_grad()
        def probabilities(decisions: gw.Decisions, learner: Any = training.learner) -> Any:
            seen = decisions.canonical()
            policy, _ = learner(torch.from_numpy(seen.observations), torch.from_numpy(seen.action_masks))
            return seen.decode_values(policy.probs.double().numpy())

        yield Point(training.decisions, chances=chances_of(rules, probabilities))


def policy_iteration(game: SmallGame, steps: Sequence[int]) -> Iterator[Point]:
    """Train the recipe ``quickstart`` for some decisions; yield the policy of its network's softmax."""
    import german_whist

    fixed: dict[str, Any] = {"processes": 1, "threads": 1, "quiet": True, "evaluate_every": 10**9, "final_deals": 2}
    for count in steps:
        with tempfile.TemporaryDirectory() as folder:
            settings = {**fixed, "rules": game.rules, "decisions": count, "seed": SEED, "out": Path(folder) / "run"}
            outcome = german_whist.train("quickstart", **settings)
            if outcome.interrupted:
                raise KeyboardInterrupt
            agent = german_whist.make_agent(f"checkpoint:{outcome.path},temperature=1", game.rules)

        def probabilities(decisions: german_whist.Decisions, agent: german_whist.Agent = agent) -> Any:
            return agent.evaluate(decisions, "policy").policy

        yield Point(count, chances=chances_of(game.rules, probabilities))


class Algorithm(NamedTuple):
    """A row of the table.

    Attributes:
        title: the name in the table.
        run: yields a point for each number of steps.
        steps: how many steps, by point.
        unit: the name of a step.
        restarts: whether each point is a separate run, because the length sets its schedule.
    """

    title: str
    run: Callable[[SmallGame, Sequence[int]], Iterator[Point]]
    steps: tuple[int, ...]
    unit: str
    restarts: bool = False


ALGORITHMS = {
    "cfr-plus": Algorithm("CFR+, OpenSpiel", cfr_plus, (10, 100, 500), "iterations"),
    "mccfr": Algorithm("MCCFR, external sampling, OpenSpiel", mccfr, (1000, 5000, 25_000), "iterations"),
    "nfsp": Algorithm("NFSP, OpenSpiel", nfsp, (1000, 4000, 16_000), "deals"),
    "ppo": Algorithm("PPO against past selves, plain torch", self_play_ppo, (16, 64, 256), "updates", True),
    "policy-iteration": Algorithm(
        "`policy_iteration`", policy_iteration, (25_000, 100_000, 400_000), "decisions", True
    ),
}


def measure(name: str, deck: str, wanted: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Run an algorithm on a deck in this process; yield a line of results for each number of steps."""
    algorithm, game = ALGORITHMS[name], SmallGame(DECKS[deck])
    if algorithm.restarts:
        next(algorithm.run(game, algorithm.steps[:1]))  # compiles
    for steps in [[each] for each in wanted] if algorithm.restarts else [wanted]:
        seconds, points = 0.0, algorithm.run(game, steps)
        for step in steps:
            began = time.process_time()
            point = next(points)
            seconds += time.process_time() - began
            line = {"name": name, "deck": deck, "steps": step, "seconds": round(seconds, 1), "visited": point.visited}
            if point.chances is None:
                line["nash_conv"] = round(game.nash_conv(point.policy), 5)
            else:
                line["nash_conv"] = round(game.nash_conv(game.table(point.chances)), 5)
                line["best_card"] = round(game.nash_conv(game.table(best_card(point.chances))), 5)
            yield line


def missing(name: str, deck: str, out: Path) -> list[int]:
    """Return the steps of an algorithm on a deck that have no results yet."""
    done = {line["steps"] for line in finished(out) if (line["name"], line["deck"]) == (name, deck)}
    return [steps for steps in ALGORITHMS[name].steps if steps not in done]


def table(lines: Sequence[dict[str, Any]]) -> str:
    """Return the results as a table in Markdown."""
    header = ["deck", "algorithm", "steps", "seconds", "states visited", "NashConv", "of the range", "best card only"]
    order = [(name, deck) for deck in DECKS for name in ALGORITHMS]
    rows = [
        [
            line["deck"],
            ALGORITHMS[line["name"]].title,
            f"{line['steps']:,} {ALGORITHMS[line['name']].unit}",
            f"{line['seconds']:.0f}",
            f"{line['visited']:,}",
            f"{line['nash_conv']:.4f}",
            f"{100 * line['nash_conv'] / RANGE:.2f} %",
            f"{100 * line['best_card'] / RANGE:.2f} %" if "best_card" in line else "",
        ]
        for line in sorted(lines, key=lambda line: (order.index((line["name"], line["deck"])), line["steps"]))
    ]
    return markdown_table(header, rows)


def main(argv: Sequence[str] | None = None) -> int:
    """Run algorithms, each in its own process."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"all, or some of {', '.join(ALGORITHMS)}")
    parser.add_argument("--deck", choices=DECKS, help="one deck instead of both")
    parser.add_argument("--out", type=Path, default=RESULTS, help="the file of results")
    parser.add_argument("--table", action="store_true", help="print the results as a table in Markdown")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)  # in OpenSpiel's environment
    options = parser.parse_args(argv)
    names = list(ALGORITHMS) if options.names == ["all"] else options.names
    if options.here:
        for line in measure(names[0], options.deck, missing(names[0], options.deck, options.out)):
            append(line, options.out)
        return 0
    failed = 0
    for name in names:
        for deck in [options.deck] if options.deck else DECKS:
            if missing(name, deck, options.out):
                how = ("--deck", deck, "--out", options.out.resolve())
                failed += run_in("openspiel", "tools.small_games", name, *how) != 0
    if options.table:
        print(table(finished(options.out)))
    elif not names:
        print("\n".join(f"{name:18}{each.title}" for name, each in ALGORITHMS.items()))
    return failed


if __name__ == "__main__":
    sys.exit(main())

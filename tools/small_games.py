"""Measures algorithms in games so small that NashConv is exact.

    python -m tools.small_games                   # the list
    python -m tools.small_games mccfr             # run with every seed, append a line of JSON a point
    python -m tools.small_games all               # what is missing; can be stopped and started again
    python -m tools.small_games --pictures docs/images

OpenSpiel computes the NashConv of every policy; learners are asked for their probabilities at every information set.
The utility is the margin. Processor time is that of one thread, without compiling and measuring.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tools.baselines import ROOT, append, finished, load_example, run_in

RESULTS = ROOT / "docs" / "explanation" / "small_games.jsonl"
DECKS = {
    "six cards, two suits": "six_cards:draft=true",
    "six cards, one suit": "six_cards:suits=1,ranks=6,draft=true",
    "eight cards, two suits": "six_cards:ranks=4,hand=3",
}
SEEDS = 5


def efg_lines(game: Any) -> Iterator[str]:
    """Yield the lines of Gambit's extensive form; OpenSpiel's own ``export_gambit`` takes quadratic time."""
    chance, end, numbers = count(1), count(1), (dict[str, int](), dict[str, int]())

    def lines(state: Any) -> Iterator[str]:
        if state.is_terminal():
            yield f't "" {next(end)} "" {{ {" ".join(map(str, state.returns()))} }}'
            return
        player = state.current_player()
        if state.is_chance_node():
            edges = [f'"{state.action_to_string(player, action)}" {p:.16f}' for action, p in state.chance_outcomes()]
            yield f'c "" {next(chance)} "" {{ {" ".join(edges)} }} 0'
        else:
            edges = [f'"{state.action_to_string(player, action)}"' for action in state.legal_actions()]
            number = numbers[player].setdefault(state.information_state_string(), len(numbers[player]) + 1)
            yield f'p "" {player + 1} {number} "" {{ {" ".join(edges)} }} 0'
        for action in state.legal_actions():
            yield from lines(state.child(action))

    yield 'EFG 2 R "game" { "Pl0" "Pl1" }'
    yield from lines(game.new_initial_state())


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

        from german_whist.openspiel import load_game

        self.rules, self.game = rules, load_game(rules)
        self.tree = pyspiel.load_efg_game("\n".join(efg_lines(self.game)))
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

    def policy(self, probabilities: Callable[[Any], Any]) -> Any:
        """Return the tree's policy of a function of ``gw.Decisions`` that returns float[n, actions]."""
        import pyspiel

        import german_whist as gw

        views = np.concatenate([state.deal.view(state.current_player()) for _, state in self.states.values()])
        rows = probabilities(gw.Decisions(views, self.rules))
        found = {}
        for (key, (node, state)), row in zip(self.states.items(), rows, strict=True):
            found[key] = [(theirs, float(row[own])) for theirs, own in self.actions(node, state).items()]
        return pyspiel.TabularPolicy(found)

    def nash_conv(self, policy: Any) -> float:
        """Return the exact NashConv of a policy of the tree."""
        import pyspiel

        return float(pyspiel.nash_conv(self.tree, policy, True))


class Point(NamedTuple):
    """What an algorithm has reached: the number of states visited so far, and its policy of the tree."""

    visited: int
    policy: Any


def cfr_plus(game: SmallGame, steps: Sequence[int], seed: int) -> Iterator[Point]:
    """Run OpenSpiel's CFR+; yield the average policy after some iterations."""
    import pyspiel

    solver = pyspiel.CFRPlusSolver(game.tree)
    for step in range(1, steps[-1] + 1):
        solver.evaluate_and_update_policy()
        if step in steps:
            yield Point(2 * step * game.nodes, solver.average_policy())  # one seat after the other


def mccfr(game: SmallGame, steps: Sequence[int], seed: int) -> Iterator[Point]:
    """Run OpenSpiel's external-sampling MCCFR; yield the average policy after some iterations."""
    import pyspiel
    from open_spiel.python.algorithms.external_sampling_mccfr import ExternalSamplingSolver

    class Counted(ExternalSamplingSolver):  # type: ignore[misc]
        visited = 0

        def _update_regrets(self, state: Any, player: int) -> Any:
            self.visited += 1
            return super()._update_regrets(state, player)

    np.random.seed(seed)
    solver = Counted(game.tree)
    for step in range(1, steps[-1] + 1):
        solver.iteration()
        if step in steps:
            average = solver.average_policy().action_probabilities
            table = {key: list(average(node).items()) for key, (node, _) in game.states.items()}
            yield Point(solver.visited, pyspiel.TabularPolicy(table))


def self_play_ppo(game: SmallGame, steps: Sequence[int], seed: int) -> Iterator[Point]:
    """Train ``examples/self_play_pool.py`` for some updates, each on 1,024 deals; yield its network's policy."""
    import torch

    import german_whist as gw

    example: Any = load_example("self_play_pool.py")
    example.GAME["rules"] = game.rules
    example.INPUTS = gw.DealBatch(game.rules, 1).decisions().observations.shape[1]
    example.ACTIONS = gw.rules(game.rules).num_actions
    for updates in steps:
        training = example.Training(seed)
        while training.updates < updates:
            training.update()

        @torch.no_grad()
        def probabilities(decisions: gw.Decisions, learner: Any = training.learner) -> Any:
            seen = decisions.canonical()
            policy, _ = learner(torch.from_numpy(seen.observations), torch.from_numpy(seen.action_masks))
            return seen.decode_values(policy.probs.double().numpy())

        yield Point(training.decisions, game.policy(probabilities))


def policy_iteration(game: SmallGame, steps: Sequence[int], seed: int) -> Iterator[Point]:
    """Train the recipe ``quickstart`` for some decisions; yield the policy of its network's softmax."""
    import german_whist as gw

    fixed: dict[str, Any] = {"processes": 1, "threads": 1, "quiet": True, "evaluate_every": 10**9, "final_deals": 2}
    for decisions in steps:
        with tempfile.TemporaryDirectory() as folder:
            settings = {**fixed, "rules": game.rules, "decisions": decisions, "seed": seed, "out": Path(folder) / "run"}
            outcome = gw.train("quickstart", **settings)
            if outcome.interrupted:
                raise KeyboardInterrupt
            agent = gw.make_agent(f"checkpoint:{outcome.path},temperature=1", game.rules)

        def probabilities(decisions: gw.Decisions, agent: gw.Agent = agent) -> Any:
            return agent.evaluate(decisions, "policy").policy

        yield Point(decisions, game.policy(probabilities))


class Algorithm(NamedTuple):
    """A curve.

    Attributes:
        title: the name in the picture.
        run: yields a point for each number of steps.
        steps: how many steps, by point.
        seeds: how many runs.
        restarts: whether each point is a separate run, because the length sets its schedule.
    """

    title: str
    run: Callable[[SmallGame, Sequence[int], int], Iterator[Point]]
    steps: tuple[int, ...]
    seeds: int = SEEDS
    restarts: bool = False


ALGORITHMS = {
    "cfr-plus": Algorithm("CFR+, OpenSpiel", cfr_plus, (3, 10, 30, 100), 1),
    "mccfr": Algorithm("external-sampling MCCFR, OpenSpiel", mccfr, (300, 1000, 3000, 10_000, 30_000)),
    "ppo": Algorithm("PPO against past selves", self_play_ppo, (16, 64, 256), restarts=True),
    "policy-iteration": Algorithm("policy iteration", policy_iteration, (25_000, 100_000, 400_000), restarts=True),
}


def measure(name: str, deck: str, wanted: Sequence[tuple[int, int]]) -> Iterator[dict[str, Any]]:
    """Run an algorithm on a deck in this process; yield a line of results for each seed and number of steps."""
    algorithm, game = ALGORITHMS[name], SmallGame(DECKS[deck])
    if algorithm.restarts:
        next(algorithm.run(game, algorithm.steps[:1], 0))  # compiles
    for seed in sorted({seed for seed, _ in wanted}):
        steps = [step for each, step in wanted if each == seed]
        for part in [[step] for step in steps] if algorithm.restarts else [steps]:
            seconds, points = 0.0, algorithm.run(game, part, seed)
            for step in part:
                began = time.process_time()
                point = next(points)
                seconds += time.process_time() - began
                line = {"name": name, "deck": deck, "seed": seed, "steps": step, "seconds": round(seconds, 1)}
                yield {**line, "visited": point.visited, "nash_conv": round(game.nash_conv(point.policy), 5)}


def missing(name: str, deck: str, out: Path) -> list[tuple[int, int]]:
    """Return the seeds and steps of an algorithm on a deck that have no results yet."""
    done = {(line["seed"], line["steps"]) for line in finished(out) if (line["name"], line["deck"]) == (name, deck)}
    algorithm = ALGORITHMS[name]
    return [
        (seed, step) for seed in range(1, algorithm.seeds + 1) for step in algorithm.steps if (seed, step) not in done
    ]


def draw(lines: Sequence[dict[str, Any]], axis: str, label: str, path: Path) -> None:
    """Draw NashConv over a column of the results as a PNG, a panel a deck: a line for the mean of the seeds."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    import german_whist as gw

    figure = Figure(figsize=(10, 3.8), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(1, len(DECKS), sharey=True)
    for panel, (deck, spec) in zip(panels, DECKS.items(), strict=True):
        for color, (name, algorithm) in zip(
            ("#264653", "#2a9d8f", "#e76f51", "#7b2cbf"), ALGORITHMS.items(), strict=True
        ):
            runs = [line for line in lines if (line["name"], line["deck"]) == (name, deck)]
            percent = [100 * line["nash_conv"] / (2 * gw.rules(spec).hand) for line in runs]
            where = [max(line[axis], 0.1) for line in runs]  # seconds are rounded to tenths
            panel.plot(where, percent, "o", color=color, markersize=3, alpha=0.4)
            by_step = [[i for i, line in enumerate(runs) if line["steps"] == step] for step in algorithm.steps]
            means = [
                (np.mean([where[i] for i in each]), np.mean([percent[i] for i in each])) for each in by_step if each
            ]
            panel.plot(*zip(*means, strict=True), color=color, label=algorithm.title)
        panel.set(xscale="log", yscale="log", title=deck, xlabel=label)
        panel.grid(color="#eeeeee")
        panel.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("NashConv, % of the range")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False)
    figure.savefig(path)


def main(argv: Sequence[str] | None = None) -> int:
    """Run algorithms, each in its own process."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"all, or some of {', '.join(ALGORITHMS)}")
    parser.add_argument("--deck", choices=DECKS, help="one deck instead of all")
    parser.add_argument("--out", type=Path, default=RESULTS, help="the file of results")
    parser.add_argument("--pictures", type=Path, metavar="FOLDER", help="draw the results")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)  # runs in OpenSpiel's environment
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
    if options.pictures:
        lines = finished(options.out)
        draw(lines, "seconds", "processor-seconds", options.pictures / "small-games-seconds.png")
        draw(lines, "visited", "states visited", options.pictures / "small-games-visited.png")
    elif not names:
        print("\n".join(f"{name:18}{each.title}" for name, each in ALGORITHMS.items()))
    return failed


if __name__ == "__main__":
    sys.exit(main())

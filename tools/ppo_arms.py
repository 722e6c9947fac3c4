"""Looks for the best settings of ``examples/self_play_pool.py``, one change at a time.

    python -m tools.ppo_arms arms          # the default and every arm, one seed
    python -m tools.ppo_arms second sum    # the best four and the default again, then all that helped, two seeds
    python -m tools.ppo_arms long          # the default and the winner: 40 minutes, three seeds; the winner 120 minutes
    python -m tools.ppo_arms exact+anneal --seed 3 --minutes 10
    python -m tools.ppo_arms --table       # print the results as a table

Every run has a budget of processor time on one thread, for playing and learning alone. All of it can be stopped and
started again: finished runs are skipped, others continue from their last snapshot. Choices are made on ``DEALS`` deals
of ``SEED``; runs of the stage ``long`` are measured like baselines, too.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import torch

import german_whist as gw
from german_whist.game.endgame_setting import Endgame
from german_whist.simulator.observation.full_state import full_states, state_layout
from tools.baselines import ROOT, append, finished, load_example, measure
from tools.markdown import markdown_table

RESULTS = ROOT / "docs" / "explanation" / "ppo_arms.jsonl"
DEALS, SEED = 4000, 8301  # the deals that choose: others than those of the benchmark and of baselines
CHOSEN_BY = ("heuristic, played", "heuristic, exact")
HELPS = 0.01  # a change is kept if its mean win rate is this much above the default's
SHORT, LONG, LONGEST = 10, 40, 120  # minutes
STAGES = "arms", "second", "sum", "long"
SAVE = 120.0  # seconds of processor time between snapshots
KEY = "arm", "seed", "minutes", "at"  # names a line of results

example: Any = load_example("self_play_pool.py")
sys.modules[example.__name__] = example  # snapshots name its classes


class Arm(NamedTuple):
    """Changes from the example's default.

    Attributes:
        why: what changes, in words.
        changes: other values of the example's settings.
        ends: settings that change linearly over the run, with their last values.
        endgame: how deals end in training; with ``"exact"`` the agent plays with the solver.
        trace: the λ of generalised advantages; 1 credits with the result.
        critic: whether another network, which sees all cards, estimates the results that advantages are taken from.
        minutes: processor time.
    """

    why: str
    changes: Mapping[str, Any] = MappingProxyType({})
    ends: Mapping[str, float] = MappingProxyType({})
    endgame: str = "played"
    trace: float = 1.0
    critic: bool = False
    minutes: float = SHORT


ARMS = {
    "default": Arm("the example, endgames played out"),
    "exact": Arm("exact endgames in training and in play", endgame="exact"),
    "critic": Arm("a critic that sees both hands and the stock", critic=True),
    "anneal": Arm("learning rate linearly to 0", ends={"learning_rate": 0.0}),
    "entropy": Arm("entropy bonus 0.05 instead of 0.01", {"entropy": 0.05}),
    "gae": Arm("advantages with λ = 0.95 instead of 1", trace=0.95),
    "minibatch": Arm("steps on 8,192 instead of 2,048 decisions", {"minibatch": 8192}),
    "past": Arm("both seats in all deals instead of half of them, no past selves", {"past": 0.0}),
    "win": Arm("learns from games won instead of margins", {"reward": "win", "scale": 2.0}),
    "epochs": Arm("4 passes over each batch instead of 2", {"passes": 4}),
    "width": Arm("512 units a layer instead of 256", {"hidden": 512}),
    "clip": Arm("ratios clipped at 0.1 instead of 0.2", {"clip": 0.1}),
    "scale": Arm("margins divided by 4 instead of 10: a heavier loss of values", {"scale": 4.0}),
    "entropy-end": Arm("entropy bonus from 0.1 to 0.005", {"entropy": 0.1}, {"entropy": 0.005}, minutes=LONG),
}


def arm_of(name: str) -> Arm:
    """Return an arm, or the sum of several: ``"exact+anneal"``."""
    arms = [ARMS[part] for part in name.split("+")]
    return Arm(
        ", ".join(arm.why for arm in arms),
        {key: value for arm in arms for key, value in arm.changes.items()},
        {key: value for arm in arms for key, value in arm.ends.items()},
        "exact" if any(arm.endgame == "exact" for arm in arms) else "played",
        min(arm.trace for arm in arms),
        any(arm.critic for arm in arms),
    )


class Training(example.Training):  # type: ignore[misc]
    """The example's training with the changes of an arm."""

    def __init__(self, seed: int, arm: Arm, **changes: Any) -> None:
        """Set the example up."""
        example.GAME["endgame"] = arm.endgame
        super().__init__(seed, **{**arm.changes, **changes})
        self.seconds, self.trace, self.ends = 0.0, arm.trace, arm.ends
        self.starts = {name: getattr(self.settings, name) for name in arm.ends}
        self.seen: list[Any] = []
        self.critic: Any = None
        if arm.critic:
            size, units = example.INPUTS + 3 * 52, self.settings.hidden
            layers = torch.nn.Linear(size, units), torch.nn.ReLU(), torch.nn.Linear(units, units), torch.nn.ReLU()
            self.critic = torch.nn.Sequential(*layers, torch.nn.Linear(units, 1), torch.nn.Flatten(0))
            self.critic_optimizer = torch.optim.Adam(self.critic.parameters(), lr=self.settings.learning_rate)

    def update_at(self, progress: float) -> None:
        """Update with the settings of this moment, from 0 to 1 in the run, and count the time."""
        began = time.process_time()
        for name, end in self.ends.items():
            setattr(self.settings, name, self.starts[name] + (end - self.starts[name]) * progress)
        for optimizer in [self.optimizer, *([self.critic_optimizer] if self.critic else [])]:
            optimizer.param_groups[0]["lr"] = self.settings.learning_rate
        self.update()
        self.seconds += time.process_time() - began

    def choose(self, decisions: Any) -> Any:
        """Choose, and note what a critic of all cards sees."""
        if self.critic:
            self.seen.append(hidden_cards(self.batch, decisions))
        return super().choose(decisions)

    def credit(self, decisions: Any, made_by: Any, results: Any) -> Any:
        """Return advantages and targets, by the arm's critic and λ."""
        values = decisions[-1]
        if self.critic:
            inputs = torch.cat([decisions[0], torch.cat(self.seen)], 1)
            self.seen.clear()
            with torch.no_grad():
                values = torch.cat([self.critic(part.float()) for part in inputs.split(8192)])
            self._learn_values(inputs, results)
        if self.trace == 1:
            return results - values, results
        advantages = traced(values.double().numpy(), made_by[0] * 2 + made_by[1], results.numpy(), self.trace)
        return torch.from_numpy(advantages), values + torch.from_numpy(advantages)

    def _learn_values(self, inputs: Any, results: Any) -> None:
        for _ in range(self.settings.passes):
            for rows in torch.randperm(len(results)).split(self.settings.minibatch):
                loss = (self.critic(inputs[rows].float()) - results[rows]).square().mean()
                self.critic_optimizer.zero_grad()
                loss.backward()
                self.critic_optimizer.step()


def hidden_cards(batch: Any, decisions: Any) -> Any:
    """Return the opponent's hand, the next hidden card and the stock's order, int8[n, 156], by canonical card."""
    rows = decisions.rows
    layout, state = state_layout(batch.rules), full_states(batch.rules, batch.states[rows])
    hands = np.stack([state[:, layout[f"hand_{seat}"].start :][:, :52] for seat in (0, 1)])
    order = state[:, layout["stock_order"].start :][:, :52]
    true_cards = decisions.relabeling[:, :52].astype(np.int64)  # by canonical card
    blocks = hands[1 - batch.turn[rows], np.arange(len(rows))], (order == 2).astype(np.int8), order
    return torch.from_numpy(np.hstack([np.take_along_axis(block, true_cards, 1) for block in blocks]))


def traced(values: Any, seats: Any, results: Any, trace: float) -> Any:
    """Return generalised advantages of decisions in order of time; ``seats`` says which row and seat made each."""
    later, gain, advantages = np.zeros(seats.max() + 1), np.zeros(seats.max() + 1), np.empty(len(values))
    order = np.argsort(seats, kind="stable")
    turn = np.empty(len(seats), np.int64)  # number of the decision among its seat's
    turn[order] = np.arange(len(seats)) - np.searchsorted(seats[order], seats[order])
    later[seats] = results
    for number in range(turn.max(), -1, -1):
        rows = np.flatnonzero(turn == number)
        who = seats[rows]
        gain[who] = advantages[rows] = later[who] - values[rows] + trace * gain[who]
        later[who] = values[rows]
    return advantages


def choosing(agent: Any) -> dict[str, Any]:
    """Return the win rates that choose, with half their 95 % intervals."""
    matches: list[tuple[str, Endgame]] = [
        *((opponent, "played") for opponent in ("random", "greedy", "heuristic")),
        ("heuristic", "exact"),
    ]
    found = {}
    for opponent, endgame in matches:
        match = gw.play_match(agent, opponent, deals=DEALS, seed=SEED, endgame=endgame)
        low, high = match.interval
        found[f"{opponent}, {endgame}"] = [round(match.win_rate, 4), round((high - low) / 2, 4)]
    match = gw.play_match(gw.with_exact_endgame(agent), "heuristic", deals=DEALS, seed=SEED)
    return {**found, "heuristic, played with the solver": round(match.win_rate, 4)}


def save(training: Training, file: Path) -> None:
    """Write all that a training needs to go on."""
    torch.save({"state": vars(training), "torch": torch.get_rng_state()}, file.with_suffix(".new"))
    file.with_suffix(".new").replace(file)


def restore(training: Training, file: Path) -> None:
    """Continue from a snapshot."""
    saved = torch.load(file, weights_only=False)
    training.__dict__.update(saved["state"])
    torch.set_rng_state(saved["torch"])


class Runs:
    """The results, and the snapshots of runs under way."""

    def __init__(self, out: Path, snapshots: Path) -> None:
        """Open the file of results and the folder of snapshots."""
        self.out, self.snapshots = out, snapshots
        command = ["git", "rev-parse", "--short=8", "HEAD"]
        self.commit = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
        snapshots.mkdir(parents=True, exist_ok=True)

    def run(self, name: str, seed: int, minutes: float, marks: Sequence[float] = (), report: bool = False) -> None:
        """Train for some minutes; append a line at every mark and at the end, with ``report`` as for baselines."""
        arm, file = arm_of(name), self.snapshots / f"{name}-{seed}-{minutes:g}.pt"
        missing = [mark for mark in (*marks, minutes) if not self.lines(name, seed, minutes, mark, report)]
        if not missing:
            return
        print(f"{name}, seed {seed}, {minutes:g} minutes", flush=True)
        Training(0, arm, size=64).update()  # compiles
        training = Training(seed, arm)
        if file.exists():
            restore(training, file)
        for mark in missing:
            saved = training.seconds
            while training.seconds < 60 * mark:
                training.update_at(training.seconds / (60 * minutes))
                if training.seconds > saved + SAVE:
                    saved = training.seconds
                    save(training, file)
            save(training, file)
            agent = gw.with_exact_endgame(training.learner) if arm.endgame == "exact" else training.learner
            line = {"arm": name, "seed": seed, "minutes": minutes, "at": mark, "decisions": training.decisions}
            line |= {"updates": training.updates, "seconds": round(training.seconds), "commit": self.commit}
            line |= {"chosen": choosing(agent), **(measure(agent) if report else {})}
            append(line, self.out)
            print(line, flush=True)

    def lines(self, name: str, seed: int, minutes: float, at: float, report: bool = False) -> list[dict[str, Any]]:
        """Return the lines of a run at a mark."""
        key = name, seed, minutes, at
        found = [line for line in finished(self.out) if tuple(line[part] for part in KEY) == key]
        return [line for line in found if "rating" in line or not report]

    def scores(self, seeds: int) -> dict[str, float]:
        """Return the mean of what chooses, by arm with as many seeds after short runs."""
        groups: dict[str, list[float]] = {}
        for line in finished(self.out):
            if line["minutes"] == SHORT and line["seed"] <= seeds:
                groups.setdefault(line["arm"], []).append(mean(line["chosen"][match][0] for match in CHOSEN_BY))
        found = {name: mean(group) for name, group in groups.items() if len(group) == seeds}
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def stage(self, stage: str) -> None:
        """Run what a stage still misses."""
        if stage == "arms":
            for name, arm in ARMS.items():
                self.run(name, 1, arm.minutes)
        elif stage == "second":
            best = [name for name in self.scores(1) if name in ARMS and name != "default"][:4]
            for name in ["default", *best]:
                self.run(name, 2, SHORT)
        elif stage == "sum":
            scores = self.scores(2)
            helpful = [name for name in ARMS if scores.get(name, 0.0) > scores["default"] + HELPS]
            for seed in (1, 2) if len(helpful) > 1 else ():
                self.run("+".join(helpful), seed, SHORT)
        else:
            winner = next(iter(self.scores(2)))
            for seed in (1, 2, 3):
                for name in dict.fromkeys(["default", winner]):
                    self.run(name, seed, LONG, (SHORT,), report=True)
            self.run(winner, 1, LONGEST, (SHORT, LONG), report=True)


def table(lines: Sequence[dict[str, Any]]) -> str:
    """Return the results as a table in Markdown, the strongest first."""
    matches = list(lines[0]["chosen"])
    cells = []
    for line in sorted(lines, key=lambda line: -mean(line["chosen"][match][0] for match in CHOSEN_BY)):
        won = [line["chosen"][match] for match in matches]
        percent = [
            f"{100 * rate[0]:.1f} ± {100 * rate[1]:.1f}" if isinstance(rate, list) else f"{100 * rate:.1f}"
            for rate in won
        ]
        cells.append(
            [line["arm"], line["seed"], line["minutes"], line["at"], f"{line['decisions'] / 1e6:.1f} M", *percent]
        )
    return markdown_table(["arm", "seed", "minutes", "at", "decisions", *matches], cells)


def main(argv: Sequence[str] | None = None) -> int:
    """Run stages or single arms, one after the other, in this process."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"stages ({', '.join(STAGES)}), arms or sums of arms")
    parser.add_argument("--seed", type=int, default=1, help="seed of single arms (default 1)")
    parser.add_argument("--minutes", type=float, default=SHORT, help=f"processor time of single arms (default {SHORT})")
    parser.add_argument("--out", type=Path, default=RESULTS, help="the file of results")
    parser.add_argument("--snapshots", type=Path, default=ROOT / "build" / "ppo_arms", help="the folder of snapshots")
    parser.add_argument("--table", action="store_true", help="print the results as a table in Markdown")
    options = parser.parse_args(argv)
    torch.set_num_threads(1)
    runs = Runs(options.out, options.snapshots)
    for name in options.names:
        if name in STAGES:
            runs.stage(name)
        else:
            runs.run(name, options.seed, options.minutes)
    if options.table:
        print(table(finished(options.out)))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Checks a GPU against the CPU, measures everything that runs on it, and trains for two minutes: five minutes in all.

    python -m tools.gpu --out results         # on a machine with a GPU, with the extras gpu and train
    python -m tools.gpu targets updates       # some parts; training for a minute: training --seconds 60
    python -m tools.gpu --offline             # a tiny version with tensors on the CPU, to test the script itself

Every result is printed as a line of JSON and appended to ``OUT/gpu.jsonl``. After a failed check the script continues,
but it does not train, and its exit status is 1. The run's settings, metrics, win rates and network are copied to OUT.
"""

from __future__ import annotations

import argparse
import itertools
import json
import shutil
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

import gymnasium
import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode

import german_whist
from german_whist.evaluation.match import play_match
from german_whist.game.utils.backend import TorchBackend
from german_whist.simulator.batch import DealBatch
from german_whist.solver.endgames import solve_endgames
from german_whist.training.policy_iteration.collector import Collector
from german_whist.training.policy_iteration.config import PolicyIterationConfig
from german_whist.training.policy_iteration.networks import Networks, feature_scale
from german_whist.training.policy_iteration.targets import ActionValueTargets
from german_whist.training.policy_iteration.trainer import PolicyIteration
from german_whist.training.processes import Processes
from german_whist.training.recipes import load_config
from german_whist.training.run.directory import RunDirectory
from german_whist.training.train import run_training

GAMES = ("classic", "all", "draft", "open_stock", "high_low", "race", "humbug", "tiny")


class Report:
    """Writes results as they come in."""

    def __init__(self, folder: Path) -> None:
        """Open ``gpu.jsonl`` in a folder, which is created if necessary."""
        folder.mkdir(parents=True, exist_ok=True)
        self._file = (folder / "gpu.jsonl").open("a", buffering=1)
        self._began = time.perf_counter()
        self.has_failed = False

    def write(self, what: str, **figures: Any) -> None:
        """Write a line."""
        line = json.dumps({"what": what, "at": round(time.perf_counter() - self._began, 1), **figures})
        self._file.write(line + "\n")
        print(line, flush=True)

    def run(self, part: Callable[..., None], *arguments: Any) -> None:
        """Run a part; an exception is written as a failed check."""
        try:
            part(self, *arguments)
        except Exception:
            self.check(part.__name__, False, error=traceback.format_exc()[-2000:])

    def check(self, what: str, is_right: bool, **figures: Any) -> None:
        """Write the result of a check."""
        self.has_failed |= not is_right
        self.write(what, right=is_right, **figures)


class HostWork(TorchDispatchMode):
    """Counts the host's work in a ``with`` block.

    Attributes:
        waits: how often it waited for the device.
        launches: row kernels launched, by name.
        arguments: the most arrays and numbers in a launch.
        operations: torch's operations by name, but ``detach``, which does nothing on a device.
    """

    def __init__(self) -> None:
        """Begin at zero."""
        super().__init__()
        self.waits = self.arguments = 0
        self.launches: Counter[str] = Counter()
        self.operations: Counter[str] = Counter()
        self._originals = TorchBackend.numpy, TorchBackend.launch

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Count an operation of torch."""
        name = str(function.overloadpacket)
        self.operations[name] += name != "aten.detach"
        return function(*args, **(kwargs or {}))

    def __enter__(self) -> HostWork:
        """Begin to count."""
        numpy, launch = self._originals

        def counted_numpy(values: torch.Tensor) -> Any:
            self.waits += 1
            return numpy(values)

        def counted_launch(device: TorchBackend, kernel: Any, n: int, *arguments: Any) -> None:
            self.launches[kernel.__name__] += 1
            self.arguments = max(self.arguments, 1 + _leaves(arguments))
            launch(device, kernel, n, *arguments)

        TorchBackend.numpy = staticmethod(counted_numpy)  # type: ignore[method-assign]
        TorchBackend.launch = counted_launch  # type: ignore[method-assign, assignment]
        super().__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop counting."""
        super().__exit__(kind, error, trace)
        TorchBackend.numpy = staticmethod(self._originals[0])  # type: ignore[method-assign]
        TorchBackend.launch = self._originals[1]  # type: ignore[method-assign]


def _leaves(argument: Any) -> int:
    return sum(map(_leaves, argument)) if isinstance(argument, tuple) else 1


def synchronize(device: str) -> None:
    """Wait until the device has finished all its work."""
    if device.startswith("cuda"):
        torch.cuda.synchronize()


def lowest_legal(batch: Any) -> torch.Tensor:
    """Return the lowest legal action of each deal, int64[size]; 0 where a deal is over."""
    legal = batch.legal()
    return torch.where(legal == 0, 0, (legal & -legal).double().log2().round().long())


def check_deals(report: Report, device: str, size: int) -> None:
    """Check whole deals of every kind: states, observations, masks and returns equal those of the CPU."""
    for game in GAMES:
        tensors: Any = DealBatch(game, size, 5, device=device)
        arrays = DealBatch(game, size, 5)
        rng, is_same = np.random.default_rng(0), True
        while not arrays.done.all():
            masks = arrays.action_mask()
            is_same &= bool((tensors.action_mask().cpu().numpy() == masks).all())
            is_same &= bool((tensors.observe().cpu().numpy() == arrays.observe()).all())
            actions = (rng.random(masks.shape, dtype=np.float32) * masks).argmax(axis=1)
            arrays.step(actions)
            tensors.step(torch.from_numpy(actions))
            is_same &= arrays.states.tobytes() == tensors.states.bytes.cpu().numpy().tobytes()
        is_same &= bool((tensors.returns("points").cpu().numpy() == arrays.returns("points")).all())
        report.check(f"deals of {game}", is_same, deals=size)


def some_endgames(count: int) -> dict[str, Any]:
    """Return endgames of 13 cards a hand with trumps."""
    states = DealBatch("classic", count, 3).states
    return {"leaders": states["hands"][:, 0].copy(), "followers": states["hands"][:, 1].copy(), "trumps": 3}


def check_endgames(report: Report, device: str, count: int) -> None:
    """Check endgames of 13 cards: those looked up on the device against those searched on the CPU."""
    endgames = some_endgames(count)
    began = time.perf_counter()
    solve_endgames(**some_endgames(1), device=device)
    report.write("complete tablebase", seconds=round(time.perf_counter() - began, 1))
    found = solve_endgames(**endgames, device=device).cpu().numpy()
    report.check("endgames", bool((found == solve_endgames(**endgames)).all()), endgames=count)


def check_match(report: Report, device: str, deals: int) -> None:
    """Check matches of networks and rule bots: nearly all games end as on the CPU."""
    for first, second in (("heuristic", "greedy"), ("champion", "heuristic+exact"), ("random", "heuristic")):
        here = play_match(first, second, deals=deals, seed=9)
        there = play_match(first, second, deals=deals, seed=9, device=device)
        alike = float((here.margins == there.margins).mean())
        report.check(f"{first} against {second}", alike > 0.99, deals=deals, margins_alike=alike)


def check_training(report: Report, device: str, envs: int) -> None:
    """Check a rollout and its targets in float32, with the same networks on both devices."""
    config = PolicyIterationConfig(
        num_envs=envs, hidden=[64, 64, 96, 96, 64, 64], value_hidden=[64, 64, 96, 64], suit_layers=2, stock_rotations=2
    )
    found: dict[str, Any] = {}
    for where in ("cpu", device):
        collector = Collector("classic", envs, 26, {"self": 1.0}, {}, seed=11, device=where)
        settings = config.replace(device=where)
        networks = Networks(settings, feature_scale(collector.high, None), collector.num_actions, Processes())
        for part in (networks.actor, networks.value, networks.rollout_policy):
            for mlp in (part.network, part.average):
                mlp.compute_dtype = torch.float32
        if where != "cpu":
            networks.load_state(found["networks"])
        else:
            with torch.no_grad():  # last layers start near 0: enlarge them, so that outputs matter
                for part in (networks.actor, networks.value, networks.rollout_policy):
                    part.average.linear_layers()[-1].weight *= 20
            found["networks"] = networks.state()
        networks.freeze()
        targets = ActionValueTargets(collector, settings)
        collector.begin_rollout()
        for step in range(26):
            collector.observe(step)
            collector.choose(step, lambda features, networks=networks: networks.policy(features) * 4)  # type: ignore[misc]
            targets.compute(step, networks.replies, networks.values, 2)
            collector.play(step)
        targets.write_returns()
        rollout = collector.rollout
        found[where] = [each.cpu() for each in (rollout.actions, targets.mask, targets.q_targets, targets.returns)]
    (actions, mask, q, returns), (other_actions, _, other_q, other_returns) = found["cpu"], found[device]
    alike = (actions == other_actions).all(0)  # environments that played the same throughout
    gap_q, gap = (
        (q - other_q).abs()[:, alike][mask[:, alike]],
        (returns - other_returns).abs()[:, alike][mask[:, alike]],
    )
    far = float((gap_q > 1e-3).float().mean())
    report.check(
        "targets",
        float(alike.float().mean()) > 0.98 and far < 1e-3,
        environments_alike=float(alike.float().mean()),
        largest_q_gap=float(gap_q.max()),
        q_above_1e_3=far,
        largest_return_gap=float(gap.max()),
    )


def rate(device: str, seconds: float, work: Callable[[], int]) -> int:
    """Repeat a piece of work for so many seconds, and return the units per second that it reports."""
    units = 0
    synchronize(device)
    began = time.perf_counter()
    while time.perf_counter() - began < seconds:
        units += work()
        synchronize(device)
    return round(units / (time.perf_counter() - began))


def measure_deals(report: Report, device: str, size: int, seconds: float) -> None:
    """Measure decisions per second of a batch, with observation and mask."""
    batch: Any = DealBatch("classic", size, device=device)
    seen, masks = batch.observe(), batch.action_mask()
    rows, first = torch.arange(size, device=device), itertools.count(size, size)

    def play() -> int:
        for _ in range(52):
            batch.observe(seen)
            batch.action_mask(masks)
            batch.play(rows, lowest_legal(batch))
        batch.reset(next(first))
        return 52 * size

    report.write("decisions with observation and mask", per_second=rate(device, seconds, play), rows=size)


def measure_endgames(report: Report, device: str, count: int, seconds: float) -> None:
    """Measure exact endgames per second."""
    endgames: dict[str, Any] = {
        name: torch.as_tensor(np.asarray(one).astype(np.int64), device=device)
        for name, one in some_endgames(count).items()
    }
    report.write(
        "exact endgames", per_second=rate(device, seconds, lambda: len(solve_endgames(**endgames, device=device)))
    )


def measure_match(report: Report, device: str, deals: int) -> None:
    """Measure the time of a large match."""
    began = time.perf_counter()
    result = play_match("champion", "heuristic+exact", deals=deals, seed=10, device=device)
    spent = time.perf_counter() - began
    report.write("match", deals=deals, seconds=round(spent, 1), win_rate=result.win_rate, interval=result.interval)


def measure_env(report: Report, device: str, rows: int, seconds: float) -> None:
    """Measure steps per second of the vector environment against its default opponent."""
    envs = gymnasium.make_vec("german_whist:GermanWhist-v0", num_envs=rows, device=device)
    info = envs.reset(seed=0)[1]

    def step() -> int:
        nonlocal info
        for _ in range(50):
            info = envs.step(info["action_mask"].argmax(1))[4]
        return 50 * rows

    report.write("make_vec steps", per_second=rate(device, seconds, step), rows=rows)


def measure_updates(report: Report, config: Any, updates: int) -> float:
    """Measure the two parts of an update, collecting and learning; return decisions per second."""
    with tempfile.TemporaryDirectory() as folder:
        run = RunDirectory(Path(folder))
        run.begin(config)
        state, parts, played = PolicyIteration(config, run, Processes()), [], 0
        state.begin()
        state.save()
        for _ in range(updates + 1):
            began = time.perf_counter()
            batch, played = state.collect()
            synchronize(config.device)
            collected = time.perf_counter()
            state.networks.update(batch, 0.0)
            synchronize(config.device)
            parts.append((collected - began, time.perf_counter() - collected))
        with HostWork() as collecting:
            batch, _ = state.collect()
        with HostWork() as learning:
            state.networks.update(batch, 0.0)
    seconds_collecting, seconds_learning = np.median(parts[1:], axis=0)  # the first update compiles
    rate = played / (seconds_collecting + seconds_learning)
    report.write(
        "updates of training",
        per_second=round(rate),
        decisions=played,
        seconds_collecting=round(float(seconds_collecting), 3),
        seconds_learning=round(float(seconds_learning), 3),
        memory_gib=round(torch.cuda.max_memory_allocated() / 2**30, 1) if torch.cuda.is_available() else None,
    )
    report.write(
        "the host's work in an update",
        waits=collecting.waits,
        launches=collecting.launches.total(),
        most_arguments=collecting.arguments,
        operations_collecting=collecting.operations.total(),
        operations_learning=learning.operations.total(),
    )
    return float(rate)


def measure_training(report: Report, config: Any, seconds: float, out: Path) -> None:
    """Measure the rate of training, then train for about ``seconds``; keep the run's win rates and its network."""
    rate = measure_updates(report, config, 3)
    config = config.replace(decisions=max(int(rate * seconds), 1), evaluate_every=max(int(rate * seconds / 8), 1))
    with tempfile.TemporaryDirectory() as folder:
        run = RunDirectory.create("gpu", Path(folder) / "run")
        began = time.perf_counter()
        outcome = run_training(config, run, quiet=True)
        spent = time.perf_counter() - began
        for path in (run.config, run.metrics, run.evaluations, run.final):
            shutil.copy(path, out / path.name)
    report.write("training", decisions=outcome.decisions, seconds=round(spent, 1))
    for other in ("heuristic+exact", "champion"):
        result = play_match(
            f"checkpoint:{out / run.final.name}", other, deals=config.final_deals, seed=11, device=config.device
        )
        report.write(f"trained network against {other}", win_rate=result.win_rate, interval=result.interval)


def parts_of(tiny: bool, given: argparse.Namespace, recipe: Any) -> dict[str, tuple[Any, ...]]:
    """Return the function and the arguments of each part by name, checks first."""
    device = recipe.device
    return {
        "deals": (check_deals, device, 50 if tiny else 20_000),
        "endgames": (check_endgames, device, 8 if tiny else 20_000),
        "targets": (check_training, device, 16 if tiny else 256),
        "match": (check_match, device, 10 if tiny else 2_000),
        "deals-speed": (measure_deals, device, 500 if tiny else 2**20, 0.1 if tiny else 10),
        "endgames-speed": (measure_endgames, device, 8 if tiny else 2**20, 0.1 if tiny else 5),
        "match-speed": (measure_match, device, 10 if tiny else 1_000_000),
        "env-speed": (measure_env, device, 50 if tiny else 2**16, 0.1 if tiny else 10),
        "updates": (measure_updates, recipe, 5),
        "training": (measure_training, recipe, given.seconds, given.out),
    }


def main() -> int:
    """Run the parts that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = ", ".join(parts_of(False, argparse.Namespace(out=Path(), seconds=0), load_config("gpu")))
    parser.add_argument("parts", nargs="*", help=f"the parts to run (default all): {names}")
    parser.add_argument("--offline", action="store_true", help="run a tiny version with tensors on the CPU")
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder of gpu.jsonl (default results)")
    parser.add_argument("--seconds", type=float, help="length of the training run (default 120, offline 1)")
    given = parser.parse_args()
    tiny = given.offline
    given.seconds = given.seconds or (1 if tiny else 120)
    recipe = load_config("gpu").replace(device="cpu" if tiny else "cuda")
    if tiny:
        recipe = recipe.replace(
            num_envs=32,
            batch_size=64,
            hidden=[8, 8, 8],
            suit_layers=1,
            value_hidden=[8, 8],
            checkpoint_every=500,
            evaluate_deals=10,
            final_deals=10,
        )
    parts = parts_of(tiny, given, recipe)
    if unknown := set(given.parts) - set(parts):
        parser.error(f"no such part: {', '.join(sorted(unknown))}; there are {names}")
    report = Report(given.out)
    torch.set_num_threads(1)  # as `train` does
    name = "CPU" if tiny else torch.cuda.get_device_name()
    report.write("machine", name=name, torch=torch.__version__, german_whist=german_whist.__version__)
    for part in given.parts or parts:
        if part == "training" and report.has_failed:
            continue
        report.run(*parts[part])
    return int(report.has_failed)


if __name__ == "__main__":
    raise SystemExit(main())

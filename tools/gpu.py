"""Checks a GPU against the CPU and measures it: ``python -m tools.gpu``, with the extras ``gpu`` and ``train``.

Each result is a line of JSON; the exit status is 1 if a check failed. To test the script itself:
``--device cpu --rows 16 --seconds 0.1``.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch

import german_whist as gw
from german_whist.training.policy_iteration.collector import Collector
from german_whist.training.policy_iteration.config import PolicyIterationConfig
from german_whist.training.policy_iteration.networks import Networks, feature_scale
from german_whist.training.policy_iteration.targets import ActionValueTargets
from german_whist.training.policy_iteration.trainer import PolicyIteration
from german_whist.training.processes import Processes
from german_whist.training.recipes import load_config
from german_whist.training.run.directory import RunDirectory

GAMES = ("classic", "all", "draft", "open_stock", "high_low", "race", "humbug", "tiny")
NETWORKS: dict[str, Any] = {"hidden": [64, 64, 96, 96, 64, 64], "value_hidden": [64, 64, 96, 64]}  # small


def report(what: str, **figures: Any) -> bool:
    """Print a line, and return whether it is no failed check."""
    print(json.dumps({"what": what, **figures}), flush=True)
    return bool(figures.get("right", True))


def synchronize(device: str) -> None:
    """Wait until the device has finished all its work."""
    if device.startswith("cuda"):
        torch.cuda.synchronize()


def check_deals(device: str, size: int) -> bool:
    """Check whole deals of every kind: states, observations, masks and returns equal those of the CPU."""
    different = []
    for game in GAMES:
        tensors: Any = gw.DealBatch(game, size, 5, device=device)
        arrays = gw.DealBatch(game, size, 5)
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
        different += [] if is_same else [game]
    return report("deals", right=not different, different=different, deals=size * len(GAMES))


def some_endgames(count: int) -> dict[str, Any]:
    """Return endgames of 13 cards a hand with trumps."""
    hands = gw.DealBatch("classic", count, 3).states["hands"]
    return {"leaders": hands[:, 0].copy(), "followers": hands[:, 1].copy(), "trumps": 3}


def check_endgames(device: str, count: int) -> bool:
    """Check endgames of 13 cards: those looked up on the device against those searched on the CPU."""
    found = gw.solve_endgames(**some_endgames(count), device=device).cpu().numpy()
    is_right = bool((found == gw.solve_endgames(**some_endgames(count))).all())
    return report("endgames", right=is_right, endgames=count)


def check_matches(device: str, deals: int) -> bool:
    """Check matches of networks and rule bots: nearly all games end as on the CPU."""
    alike = []
    for first, second in (("heuristic", "greedy"), ("champion", "heuristic+exact"), ("random", "heuristic")):
        here, there = (gw.play_match(first, second, deals=deals, seed=9, device=where) for where in (None, device))
        alike.append(float((here.margins == there.margins).mean()))
    return report("matches", right=min(alike) > 0.99, deals=deals * len(alike), margins_alike=min(alike))


def check_targets(device: str, envs: int) -> bool:
    """Check a rollout and its targets in float32, with the same networks on both devices."""
    config = PolicyIterationConfig(num_envs=envs, suit_layers=2, stock_rotations=2, **NETWORKS)
    found: dict[str, Any] = {}
    for where in ("cpu", device):
        collector = Collector("classic", envs, 26, {"self": 1.0}, {}, seed=11, device=where)
        settings = config.replace(device=where)
        networks = Networks(settings, feature_scale(collector.high, None), collector.num_actions, Processes())
        parts = (networks.actor, networks.value, networks.rollout_policy)
        for mlp in (mlp for part in parts for mlp in (part.network, part.average)):
            mlp.compute_dtype = torch.float32
        if "networks" in found:
            networks.load_state(found["networks"])
        else:
            with torch.no_grad():  # last layers start near 0: enlarge them, so that outputs matter
                for part in parts:
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
        each = (collector.rollout.actions, targets.mask, targets.q_targets, targets.returns)
        found[where] = [tensor.cpu() for tensor in each]
    (actions, mask, q, returns), (other_actions, _, other_q, other_returns) = found["cpu"], found[device]
    alike = (actions == other_actions).all(0)  # environments that played the same throughout
    mask = mask[:, alike]
    q_gap, return_gap = ((a - b).abs()[:, alike][mask] for a, b in ((q, other_q), (returns, other_returns)))
    far, share = float((q_gap > 1e-3).float().mean()), float(alike.float().mean())
    gaps = {"largest_q_gap": float(q_gap.max()), "largest_return_gap": float(return_gap.max()), "q_above_1e_3": far}
    return report("targets", right=share > 0.98 and far < 1e-3, environments_alike=share, **gaps)


def rate(device: str, seconds: float, work: Callable[[], int]) -> int:
    """Repeat a piece of work for so many seconds, after once, and return the units per second that it reports."""
    work()  # compiles
    units = 0
    synchronize(device)
    began = time.perf_counter()
    while time.perf_counter() - began < seconds:
        units += work()
        synchronize(device)
    return round(units / (time.perf_counter() - began))


def measure_deals(device: str, size: int, seconds: float) -> bool:
    """Measure decisions per second of a batch, with observation and mask."""
    batch: Any = gw.DealBatch("classic", size, device=device)
    seen, masks = batch.observe(), batch.action_mask()
    rows, first = torch.arange(size, device=device), itertools.count(size, size)

    def play() -> int:
        for _ in range(52):
            batch.observe(seen)
            batch.action_mask(masks)
            legal = batch.legal()  # its lowest bit is played; 0 where a deal is over
            batch.play(rows, torch.where(legal == 0, 0, (legal & -legal).double().log2().round().long()))
        batch.reset(next(first))
        return 52 * size

    return report("decisions with observation and mask", per_second=rate(device, seconds, play), rows=size)


def measure_endgames(device: str, count: int, seconds: float) -> bool:
    """Measure exact endgames per second."""
    columns = {name: np.asarray(column).astype(np.int64) for name, column in some_endgames(count).items()}
    endgames: Any = {name: torch.as_tensor(column, device=device) for name, column in columns.items()}
    per_second = rate(device, seconds, lambda: len(gw.solve_endgames(**endgames, device=device)))
    return report("exact endgames", per_second=per_second)


def measure_match(device: str, deals: int) -> bool:
    """Measure the time of a large match."""
    began = time.perf_counter()
    result = gw.play_match("champion", "heuristic+exact", deals=deals, seed=10, device=device)
    spent = round(time.perf_counter() - began, 1)
    return report("match", deals=deals, seconds=spent, win_rate=result.win_rate, interval=result.interval)


def measure_env(device: str, rows: int, seconds: float) -> bool:
    """Measure steps per second of the vector environment against its default opponent."""
    envs = gymnasium.make_vec("german_whist:GermanWhist-v0", num_envs=rows, device=device)
    mask = envs.reset(seed=0)[1]["action_mask"]

    def step() -> int:
        nonlocal mask
        for _ in range(50):
            mask = envs.step(mask.argmax(1))[4]["action_mask"]
        return 50 * rows

    return report("make_vec steps", per_second=rate(device, seconds, step), rows=rows)


def measure_updates(device: str, envs: int, updates: int = 3) -> bool:
    """Measure the two parts of an update of the recipe ``gpu``, collecting and learning."""
    recipe = load_config("gpu")
    config: Any = recipe.replace(device=device, num_envs=envs, batch_size=min(recipe.batch_size, 13 * envs))
    with tempfile.TemporaryDirectory() as folder:
        run = RunDirectory(Path(folder))
        run.begin(config)
        state, parts, played = PolicyIteration(config, run, Processes()), [], 0
        state.begin()
        state.save()
        for _ in range(updates + 1):
            began = time.perf_counter()
            batch, played = state.collect()
            synchronize(device)
            collected = time.perf_counter()
            state.networks.update(batch, 0.0)
            synchronize(device)
            parts.append((collected - began, time.perf_counter() - collected))
    collecting, learning = np.median(parts[1:], axis=0).tolist()  # the first update compiles
    per_second = round(played / (collecting + learning))
    return report("training", per_second=per_second, decisions=played, collecting=collecting, learning=learning)


def main() -> int:
    """Check, then measure; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.gpu", description=__doc__)
    parser.add_argument("--device", default="cuda", help="default cuda")
    parser.add_argument("--rows", type=int, default=2**20, help="largest number of deals at a time (default 2**20)")
    parser.add_argument("--seconds", type=float, default=10, help="length of a measurement (default 10)")
    given = parser.parse_args()
    device, rows, seconds = given.device, given.rows, given.seconds
    torch.set_num_threads(1)  # as `train` does
    name = torch.cuda.get_device_name() if device.startswith("cuda") else device
    report("machine", name=name, torch=torch.__version__, german_whist=gw.__version__)
    results = [
        check_deals(device, min(rows, 20_000)),
        check_endgames(device, min(rows, 20_000)),
        check_targets(device, min(rows, 256)),
        check_matches(device, min(rows, 2_000)),
        measure_deals(device, rows, seconds),
        measure_endgames(device, rows, seconds),
        measure_match(device, min(rows, 1_000_000)),
        measure_env(device, min(rows, 2**16), seconds),
        measure_updates(device, min(rows, 2**15)),
    ]
    return int(not all(results))


if __name__ == "__main__":
    sys.exit(main())

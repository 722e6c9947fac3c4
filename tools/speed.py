"""Measures README's speed tables, with other libraries in the same run: ``python -m tools.speed [NAME ...]``.

Rounds are interleaved (A B C A B C …) and medians are reported, so that a busy machine slows all alike. For the other
libraries, ``pip install rlcard open-spiel jax pgx envpool``; those that are not installed are left out. None of them
has German Whist; the games measured are smaller, except for gin rummy. To compare two checkouts on one machine, run
``python -m tools.speed aec batch match search network`` in each.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import german_whist as gw
from german_whist.agents.bots.random import pick
from german_whist.agents.forms import as_agent
from tools.baselines import load_example

SIZE = 4096  # deals in a batch
ROUNDS = 5
_MAX_PLIES = 80  # an upper bound of the decisions in a deal, choices included
_PGX_STEPS = 100

Workload = Callable[[], int]  # does a small piece of work and returns the number of units done


def batch() -> Workload:
    """Make decisions of whole deals of random play in ``DealBatch``, with observation and mask."""
    deals = gw.DealBatch("classic", SIZE)
    uniforms = np.random.default_rng(0).random((_MAX_PLIES, SIZE))
    actions = np.empty(SIZE, np.int64)
    observations = np.zeros((SIZE, deals.num_observations), np.int8)
    masks = np.zeros((SIZE, deals.num_actions), np.int8)

    def play() -> int:
        deals.reset(0)
        decisions = 0
        for row in uniforms:
            left = SIZE - int(np.count_nonzero(deals.done))
            if not left:
                break
            decisions += left
            deals.observe(observations)
            deals.action_mask(masks)
            pick(deals.legal(), row, actions)
            deals.step(actions)
        return decisions

    return play


def pgx() -> Workload:
    """Make decisions in pgx's Leduc hold'em, compiled by JAX for one core."""
    flags = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1 inter_op_parallelism_threads=1"
    os.environ.setdefault("XLA_FLAGS", flags)
    import jax
    import jax.numpy as jnp
    import pgx as library
    from pgx.experimental import auto_reset

    game = library.make("leduc_holdem")
    step = jax.vmap(auto_reset(game.step, game.init))

    def one(carry: Any, key: Any) -> Any:
        states, seen = carry
        logits = jnp.where(states.legal_action_mask, 0.0, -jnp.inf)
        states = step(states, jax.random.categorical(key, logits), jax.random.split(key, SIZE))
        return (states, seen + states.observation.sum()), None  # JAX would not compute an unused observation

    run = jax.jit(lambda states, key: jax.lax.scan(one, (states, 0.0), jax.random.split(key, _PGX_STEPS))[0])
    states = jax.jit(jax.vmap(game.init))(jax.random.split(jax.random.PRNGKey(0), SIZE))

    def play() -> int:
        run(states, jax.random.PRNGKey(1))[1].block_until_ready()
        return SIZE * _PGX_STEPS

    return play


def envpool() -> Workload:
    """Make decisions in EnvPool's Blackjack (C++, no mask), on one thread."""
    import envpool as library

    pool = library.make_gymnasium("Blackjack-v1", num_envs=SIZE, num_threads=1)
    pool.reset()
    rng = np.random.default_rng(0)

    def play() -> int:
        pool.step(rng.integers(0, 2, SIZE).astype(np.int32))
        return SIZE

    return play


def openspiel(name: str = "gin_rummy") -> Workload:
    """Make decisions in an OpenSpiel game from Python, with observation and mask; chance nodes are not counted."""
    import pyspiel

    game, rng = pyspiel.load_game(name), random.Random(0)

    def play() -> int:
        state, decisions = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(outcomes, chances)[0])
                continue
            state.observation_tensor()
            mask = state.legal_actions_mask()
            state.apply_action(rng.choice([action for action, legal in enumerate(mask) if legal]))
            decisions += 1
        return decisions

    return play


def inside_openspiel() -> Workload:
    """Play German Whist inside OpenSpiel."""
    import german_whist.openspiel  # noqa: F401 - registers the game

    return openspiel("python_german_whist")


def aec(game: Any = None) -> Workload:
    """Step a PettingZoo environment, ours by default, counted as PettingZoo's ``performance_benchmark`` does."""
    env = gw.env() if game is None else game
    env.reset(seed=0)

    def play() -> int:
        for _ in range(100):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
            else:
                env.step(random.choice(np.flatnonzero(observation["action_mask"]).tolist()))
        return 100

    return play


def leduc() -> Workload:
    """Step PettingZoo's Leduc hold'em, by RLCard."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # newer versions of PettingZoo deprecate this import in favour of a registry
        from pettingzoo.classic import leduc_holdem_v4

    return aec(leduc_holdem_v4.env())


def sb3(envs: Any = None) -> Workload:
    """Step ``GermanWhistVecEnv``, or of another ``VecEnv``, against ``heuristic``; masks as MaskablePPO asks."""
    from sb3_contrib.common.maskable.utils import get_action_masks

    if envs is None:
        from german_whist.sb3 import GermanWhistVecEnv

        envs = GermanWhistVecEnv(256, canonical=True)
    envs.reset()

    def play() -> int:
        for _ in range(10):
            envs.step(get_action_masks(envs).argmax(axis=1))
        return 10 * int(envs.num_envs)

    return play


def sb3_singles() -> Workload:
    """Step 16 single environments, combined by Stable-Baselines3's ``make_vec_env``."""
    from stable_baselines3.common.env_util import make_vec_env

    return sb3(make_vec_env("german_whist:GermanWhist-v0", n_envs=16))


def match() -> Workload:
    """Play games of ``heuristic`` against ``greedy``."""
    return lambda: 2 * gw.play_match("heuristic", "greedy", deals=500).deals


def search() -> Workload:
    """Play games of ``champion:search=16,threads=1`` against ``heuristic``."""
    return lambda: 2 * gw.play_match("champion:search=16,threads=1", "heuristic", deals=2).deals


def network() -> Workload:
    """Make decisions of ``champion``'s network in the first trick."""
    agent, decisions = gw.make_agent("champion:endgame=played"), gw.DealBatch("classic", SIZE).decisions()
    return lambda: len(agent.act(decisions))


def chosen_by(agent: gw.Agent) -> Workload:
    """Make decisions of whole deals in ``DealBatch`` with exact endgames, an agent choosing for both seats."""
    deals = gw.DealBatch("classic", SIZE, endgame="exact")

    def play() -> int:
        deals.reset(0)
        decisions = 0
        while not deals.done.all():
            asked = deals.decisions()
            deals.step(agent.act(asked), asked.rows)
            decisions += len(asked)
        return decisions

    return play


def champion() -> Workload:
    """Make decisions of whole deals, ``champion`` choosing."""
    return chosen_by(gw.make_agent("champion"))


def torch_network() -> Workload:
    """Make decisions of whole deals, a torch network with two layers of 256 units choosing."""
    return chosen_by(as_agent(ppo_example().Network(hidden=256)))


def ppo() -> Workload:
    """Make decisions of PPO training, ``examples/self_play_pool.py``: those that it learns from."""
    training = ppo_example().Training()

    def update() -> int:
        before: int = training.decisions
        training.update()
        return int(training.decisions) - before

    return update


def ppo_example() -> Any:
    """Return ``examples/self_play_pool.py``, with torch on one core and exact endgames, as it comes."""
    import torch

    torch.set_num_threads(1)
    return load_example("self_play_pool.py", "exact")


SUBJECTS: dict[str, Callable[[], Workload]] = {
    subject.__name__: subject
    for subject in (
        batch, pgx, envpool, openspiel, inside_openspiel, aec, leduc, sb3, sb3_singles, match, search, network,
        champion, torch_network, ppo,
    )
}  # fmt: skip
PEERS = {  # other libraries and other choosers, and which of ours they are compared with
    **dict.fromkeys(("pgx", "envpool", "openspiel", "champion", "torch_network", "ppo"), "batch"),
    "leduc": "aec",
    "sb3_singles": "sb3",
}


def rate(workload: Workload, seconds: float) -> float:
    """Repeat a workload for this many seconds, at least once, and return its units per second."""
    units, began = 0, time.perf_counter()
    while True:
        units += workload()
        elapsed = time.perf_counter() - began
        if elapsed >= seconds:
            return units / elapsed


def main() -> None:
    """Measure and print a Markdown table."""
    parser = argparse.ArgumentParser(prog="python -m tools.speed", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"what to measure (default all): {', '.join(SUBJECTS)}"
    )
    parser.add_argument("--seconds", type=float, default=5.0, help="time for each, in all rounds together (default 5)")
    options = parser.parse_args()
    workloads: dict[str, Workload] = {}
    for name in options.names or SUBJECTS:
        try:
            workloads[name] = SUBJECTS[name]()
        except ImportError as error:
            print(f"{name} is left out: {error}")
            continue
        workloads[name]()  # compilation and loading are not timed
    measured: dict[str, list[float]] = {name: [] for name in workloads}
    for _ in range(ROUNDS):
        for name, workload in workloads.items():
            measured[name].append(rate(workload, options.seconds / ROUNDS))
    rates = {name: statistics.median(samples) for name, samples in measured.items()}
    print("| | per second | ratio |\n| --- | --- | --- |")
    for name, value in rates.items():
        ours = rates.get(PEERS.get(name, ""))
        ratio = "" if ours is None else f"{PEERS[name]} is {ours / value:.1f} times as fast"
        print(f"| {name} | {value:,.0f} | {ratio} |")


if __name__ == "__main__":
    main()

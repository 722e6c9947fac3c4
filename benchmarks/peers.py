"""Random decisions per second in batches, with observation and mask, compared with pgx and EnvPool on one core.

Neither has German Whist. Their games here are far smaller: pgx's Leduc hold'em (compiled by JAX) has a deck of six
cards, EnvPool's Blackjack (C++) a few decisions an episode and no mask. Episodes restart by themselves in both.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from german_whist.benchmarks.batch import OBSERVED, SIZE, RandomPlay
from german_whist.benchmarks.harness import Figure, Skipped, Tick, Workload, rates

SUBJECT = "peers"
PGX, ENVPOOL = "pgx leduc_holdem", "EnvPool Blackjack"

_STEPS = 100


class PgxPlay:
    """Random play in pgx's Leduc hold'em, ``_STEPS`` steps of the batch in one compiled loop."""

    def __init__(self) -> None:
        """Compile the loop, for one core."""
        os.environ.setdefault(
            "XLA_FLAGS",
            "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1 inter_op_parallelism_threads=1",
        )
        import jax
        import jax.numpy as jnp
        import pgx
        from pgx.experimental import auto_reset

        game = pgx.make("leduc_holdem")
        step = jax.vmap(auto_reset(game.step, game.init))

        def one(carry: Any, key: Any) -> Any:
            states, seen = carry
            logits = jnp.where(states.legal_action_mask, 0.0, -jnp.inf)
            states = step(states, jax.random.categorical(key, logits), jax.random.split(key, SIZE))
            return (states, seen + states.observation.sum()), None  # what is not used would not be computed

        def many(states: Any, key: Any) -> Any:
            (states, seen), _ = jax.lax.scan(one, (states, 0.0), jax.random.split(key, _STEPS))
            return states, seen

        self._jax, self._play = jax, jax.jit(many)
        self._key = jax.random.PRNGKey(0)
        self._states = jax.jit(jax.vmap(game.init))(jax.random.split(self._key, SIZE))

    def __call__(self) -> int:
        """Play on; return the number of decisions."""
        self._key, key = self._jax.random.split(self._key)
        self._states, seen = self._play(self._states, key)
        seen.block_until_ready()
        return SIZE * _STEPS


class EnvPoolPlay:
    """Random play in EnvPool's Blackjack."""

    def __init__(self) -> None:
        """Start the pool with one thread."""
        import envpool

        self._pool = envpool.make_gymnasium("Blackjack-v1", num_envs=SIZE, num_threads=1)
        self._pool.reset()
        self._rng = np.random.default_rng(0)

    def __call__(self) -> int:
        """Take one step of the batch; return the number of decisions."""
        self._pool.step(self._rng.integers(0, 2, SIZE).astype(np.int32))
        return SIZE


def measure_peers(seconds: float, tick: Tick) -> list[Figure | Skipped]:
    """Measure all in the same run, each for ``seconds``."""
    workloads: dict[str, Workload] = {OBSERVED: RandomPlay(SIZE, observed=True)}
    skipped: list[Figure | Skipped] = []
    for name, play, package in ((PGX, PgxPlay, "pgx"), (ENVPOOL, EnvPoolPlay, "envpool")):
        try:
            workloads[name] = play()
        except ImportError:
            skipped.append(Skipped(SUBJECT, f"against {name}", f"{package} is not installed: pip install {package}"))
    measured = rates(workloads, seconds, tick)
    ours = measured.pop(OBSERVED)
    return [*(Figure(SUBJECT, OBSERVED, "/s", ours, name, theirs) for name, theirs in measured.items()), *skipped]

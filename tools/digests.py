"""Digests of behaviour, to compare a refactored tree with an earlier one.

``python -m tools.digests [NAME ...]`` prints a digest of each behaviour that a refactoring keeps and what differs from
``tools/digests.json`` (``--write`` renews the file). Digests of training depend on the processor and are not in the
file: run ``python -m tools.digests --training quickstart`` in both trees on one machine.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

import german_whist as gw

FILE = Path(__file__).with_suffix(".json")
SIZE = 128  # deals in a batch
VARIANTS = (
    *gw.rule_names(),
    "classic:counts=all,points=over_half",
    "open_stock:open_stock=3",
    "draft:counts=all,trump=none",
    "race:race=5,counts=endgame",
    "classic:suits=3,ranks=8,hand=5,stock=14",
    "tiny:ranks=5,hand=3,stock=4",
)


class Digest:
    """A running SHA-256 of arrays, text and plain data."""

    def __init__(self) -> None:
        """Begin an empty digest."""
        self._hash = hashlib.sha256()

    def add(self, *values: Any) -> None:
        """Add arrays with their shape and dtype, and everything else by its text."""
        for value in values:
            if isinstance(value, dict):
                self.add(*(part for key in sorted(value) for part in (key, value[key])))
            elif isinstance(value, np.ndarray):
                self._hash.update(f"{value.shape}{value.dtype}".encode() + np.ascontiguousarray(value).tobytes())
            elif isinstance(value, (tuple, list)):
                self.add(*value)
            else:
                self._hash.update(f"{type(value).__name__} {value!r}".encode())

    def __str__(self) -> str:
        return self._hash.hexdigest()[:16]


def chosen(masks: Any, step: int) -> Any:
    """Choose a legal action in each row of ``masks``, int8[n, n_actions], that varies with row and step."""
    masks = np.asarray(masks)
    places = (np.arange(len(masks)) * 7 + step * 5) % masks.sum(axis=1).clip(1)
    return (masks.cumsum(axis=1) > places[:, None]).argmax(axis=1)


def plies(batch: gw.DealBatch) -> Iterator[int]:
    """Play all deals of a batch; yield the number of each ply before it is played."""
    for ply in itertools.count():
        if batch.done.all():
            return
        yield ply
        batch.step(chosen(batch.action_mask(), ply))


def batches(digest: Digest) -> None:
    """Digest views, observations, masks, histories, states and returns of every variant."""
    for rules in VARIANTS:
        batch = gw.DealBatch(rules, SIZE, seed=3, first=5, history=True)
        for ply in plies(batch):
            digest.add(batch.observe(), batch.action_mask(), batch.legal(), batch.turn, batch.done, batch.views())
            if ply % 8 == 0:
                digest.add(batch.history())
        digest.add(batch.states, batch.history(), *(batch.returns(reward) for reward in ("margin", "win", "points")))


def canonical_batches(digest: Digest) -> None:
    """Digest canonical observations, masks and actions."""
    for rules in VARIANTS:
        batch = gw.DealBatch(rules, SIZE, seed=4, canonical=True)
        for _ in plies(batch):
            digest.add(batch.observe(), batch.action_mask())
        digest.add(batch.returns())


def pettingzoo(digest: Digest) -> None:
    """Digest deals and matches in the PettingZoo environment, an illegal action included."""
    cases: list[dict[str, Any]] = [{"rules": rules} for rules in VARIANTS]
    cases += [{"reward": "win"}, {"reward": "points", "match": "best_of:3"}, {"endgame": "exact"}, {"canonical": True}]
    cases += [{"dense": True}, {"match": "first_to:10", "rules": "small"}]
    for case in cases:
        env = gw.env(**case, render_mode="ansi")
        third = {"match": (9, 4)} if "match" in case else {"deal": (9, 4)}
        for episode, options in enumerate(({}, {"dealer": 1}, third)):
            env.reset(seed=episode, options=options)
            for step, agent in enumerate(env.agent_iter()):
                observation, reward, terminated, truncated, info = env.last()
                digest.add(agent, observation, float(reward), terminated, truncated, sorted(info), env.state())
                env.step(None if terminated or truncated else int(chosen(observation["action_mask"][None], step)[0]))
            digest.add(env.render())
        env.reset(seed=1)
        env.step(int((env.last()[0]["action_mask"] == 0).argmax()))
        digest.add({agent: float(reward) for agent, reward in env.rewards.items()}, env.terminations)


def gymnasium_single(digest: Digest) -> None:
    """Digest episodes of the single Gymnasium environment."""
    cases: list[dict[str, Any]] = [{"rules": rules} for rules in VARIANTS]
    cases += [{"opponent": "champion"}, {"match": "best_of:3"}, {"endgame": "exact"}, {"canonical": True}]
    cases += [{"dense": True}, {"seat": 1, "reward": "win"}, {"observation_keys": ("observations", "action_mask")}]
    for case in cases:
        env = gymnasium.make("german_whist:GermanWhist-v0", **case)
        for seed in (5, None):
            observation, info = env.reset(seed=seed)
            step, over = 0, False
            while not over:
                digest.add(observation, info)
                mask = info["action_mask"] if "action_mask" in info else observation["action_mask"]
                observation, reward, terminated, truncated, info = env.step(int(chosen(mask[None], step)[0]))
                digest.add(float(reward), terminated, truncated)
                step, over = step + 1, terminated or truncated
            digest.add(observation)


def gymnasium_vector(digest: Digest) -> None:
    """Digest steps of the vector environment, and of tensors."""
    import torch

    cases: list[dict[str, Any]] = [{"rules": rules} for rules in VARIANTS]
    cases += [{"opponent": "small"}, {"match": "best_of:3"}, {"endgame": "exact"}, {"canonical": True}]
    cases += [{"dense": True}, {"seat": 1, "reward": "win"}]
    for case in cases:
        envs = gymnasium.make_vec("german_whist:GermanWhist-v0", num_envs=16, **case)
        observation, info = envs.reset(seed=5)
        for step in range(60):
            digest.add(observation, info["action_mask"])
            observation, reward, terminated, truncated, info = envs.step(chosen(info["action_mask"], step))
            digest.add(reward, terminated, truncated)
            if "final_obs" in info and terminated.any():
                digest.add(np.stack(list(info["final_obs"][terminated])))
    envs = gymnasium.make_vec("german_whist:GermanWhist-v0", num_envs=16, device="cpu")
    observation, info = envs.reset(seed=5)
    for step in range(60):
        digest.add(observation.numpy(), info["action_mask"].numpy())
        actions = torch.from_numpy(chosen(info["action_mask"].numpy(), step))
        observation, reward, terminated, _, info = envs.step(actions)
        digest.add(reward.numpy(), terminated.numpy())


def sb3(digest: Digest) -> None:
    """Digest steps of the Stable-Baselines3 environment."""
    from german_whist.sb3 import GermanWhistVecEnv

    envs = GermanWhistVecEnv(16, canonical=True)
    envs.seed(3)
    observation: Any = envs.reset()
    for step in range(60):
        masks = envs.action_masks()
        digest.add(observation, masks)
        observation, rewards, dones, infos = envs.step(chosen(masks, step))
        digest.add(rewards, dones, [info.get("terminal_observation") for info in infos])


def matches(digest: Digest) -> None:
    """Digest margins and results of mirrored matches, with rule bots in every variant and networks."""
    for rules in VARIANTS:
        for first, second in (("random", "greedy"), ("heuristic", "greedy"), ("heuristic+exact", "random+exact")):
            if rules.startswith("humbug") and "+exact" in first:
                continue
            result = gw.play_match(first, second, deals=60, seed=2, rules=rules)
            digest.add(result.margins, result.win_rate, result.interval, result.margin, result.margin_interval)
    for first in ("champion", "small"):
        for rules in ("classic", "high_low", "all", "short"):
            digest.add(gw.play_match(first, "heuristic+exact", deals=100, seed=2, rules=rules).margins)
    digest.add(gw.play_match("champion", "small", deals=50, endgame="exact").margins)


def searches(digest: Digest) -> None:
    """Digest margins of agents that search."""
    for agent, deals in (
        ("champion:search=16,threads=1", 4),
        ("small:search=16,threads=1", 4),
        ("mc:worlds=30", 6),
        ("ismcts:iterations=100", 6),
    ):
        digest.add(gw.play_match(agent, "heuristic+exact", deals=deals, seed=2).margins)
    digest.add(gw.play_match("mc:worlds=20", "heuristic", deals=4, seed=2, rules="draft").margins)


def sampling(digest: Digest) -> None:
    """Digest sampled states of hidden cards."""
    batch = gw.DealBatch("classic", 16, seed=1, history=True)
    for step in range(30):
        if step % 5 == 0:
            for view in batch.views()[:4]:
                digest.add(gw.sample_states(view, count=4, rng=step))
        batch.step(chosen(batch.action_mask(), step))


def solver(digest: Digest) -> None:
    """Digest exact endgames."""
    rng = np.random.default_rng(0)
    for hand in (3, 7, 10, 13):
        cards = np.argsort(rng.random((200, 52)), axis=1)[:, : 2 * hand].astype(np.uint64)
        leaders, followers = (
            np.bitwise_or.reduce(np.uint64(1) << half, axis=1) for half in (cards[:, :hand], cards[:, hand:])
        )
        for trump in (-1, 3):
            for low in (False, True):
                digest.add(np.asarray(gw.solve_endgames(leaders, followers, trumps=trump, lows=low)))


def exploitability(digest: Digest) -> None:
    """Digest NashConv on small decks."""
    for rules, agent in (("tiny:ranks=3,stock=2", "random"), ("tiny:ranks=3,stock=2", "heuristic"), ("tiny", "greedy")):
        digest.add(gw.exploitability(agent, rules=rules).to_dict())


def openspiel(digest: Digest) -> None:
    """Digest playthroughs in OpenSpiel."""
    import pyspiel

    import german_whist.openspiel  # noqa: F401 - registers the game

    for rules in ("classic", "tiny", "draft", "open_stock"):
        game = pyspiel.load_game(f"python_german_whist(rules={rules})")
        state, step = game.new_initial_state(), 0
        while not state.is_terminal():
            if not state.is_chance_node():
                player = state.current_player()
                digest.add(state.information_state_string(player), np.asarray(state.observation_tensor(player)))
            legal = state.legal_actions()
            digest.add(legal)
            state.apply_action(legal[step * 5 % len(legal)])
            step += 1
        digest.add(state.returns(), str(state))


def recordings(digest: Digest) -> None:
    """Digest lines of recordings, and their replay."""
    for rules in gw.rule_names():
        played: list[gw.Recording] = []
        gw.play_match("heuristic", "greedy", deals=5, seed=1, rules=rules, record=played.append)
        lines = [recording.to_line() for recording in played]
        digest.add(lines)
        for line in lines[:2]:
            recording = gw.Recording.from_line(line)
            digest.add([recording.render(after, render_mode="ansi") for after in range(len(recording.actions) + 1)])


def text_env(digest: Digest) -> None:
    """Digest messages of the text environment."""
    for rules in gw.rule_names():
        env = gw.TextEnv(rules, opponent="heuristic", reward="margin")
        (message, _), terminated, step = env.reset(seed=2), False, 0
        while not terminated:
            legal = env.legal
            digest.add(message, legal)
            answer = "no" if step == 3 else legal[step * 5 % len(legal)]
            message, reward, terminated, _, info = env.step(answer)
            digest.add(reward, info)
            step += 1
        digest.add(message)


def tournament(digest: Digest) -> None:
    """Digest ratings of a round robin."""
    result = gw.play_tournament(["random", "greedy", "heuristic", "small"], deals=50)
    digest.add([(one["agent"], round(one["rating"], 6)) for one in result.to_dict()["agents"]])
    digest.add([(pair["first"], pair["win_rate"], pair["margin"]) for pair in result.to_dict()["pairs"]])


def training(digest: Digest, recipe: str) -> None:
    """Digest weights and win rates after 100,000 decisions of a recipe in one process."""
    from safetensors.numpy import load_file

    evaluations: dict[str, Any] = {"evaluate_every": 10_000_000, "evaluate_deals": 2, "final_deals": 50}
    with tempfile.TemporaryDirectory() as folder:
        run = f"{folder}/run"
        outcome = gw.train(recipe, decisions=100_000, processes=1, seed=0, quiet=True, out=run, **evaluations)
        digest.add(load_file(f"{outcome.path}/final.safetensors"), {k: float(v) for k, v in outcome.win_rates.items()})


DIGESTS: dict[str, Callable[[Digest], None]] = {
    one.__name__: one
    for one in (
        batches, canonical_batches, pettingzoo, gymnasium_single, gymnasium_vector, sb3, matches, searches,
        sampling, solver, exploitability, openspiel, recordings, text_env, tournament,
    )
}  # fmt: skip


def main() -> int:
    """Print digests, with the old ones of those that differ from the file; return how many differ."""
    parser = argparse.ArgumentParser(prog="python -m tools.digests", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"default all: {', '.join(DIGESTS)}")
    parser.add_argument("--training", metavar="RECIPE", help="print the digest of a training, and nothing else")
    parser.add_argument("--write", action="store_true", help=f"write the digests to {FILE.name}")
    options = parser.parse_args()
    if options.training:
        training(digest := Digest(), options.training)
        print(digest)
        return 0
    known = json.loads(FILE.read_text())
    different = 0
    for name in options.names or DIGESTS:
        DIGESTS[name](digest := Digest())
        is_same = known.get(name) == str(digest)
        different += not is_same
        print(f"{name:20} {digest}{'' if is_same else f'  was {known.get(name)}'}", flush=True)
        known[name] = str(digest)
    if options.write:
        FILE.write_text(json.dumps(known, indent=2) + "\n")
    return different


if __name__ == "__main__":
    sys.exit(main())

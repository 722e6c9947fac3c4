"""Every public entry takes a seed and a number of deals of any integer type, and refuses anything else in one line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

import german_whist as gw
from german_whist.evaluation.recording import DealResult
from german_whist.game.agent_rng import AgentRng
from german_whist.sb3 import GermanWhistVecEnv

Entry = Callable[[Any], Any]
BATCH = gw.DealBatch("tiny", 2, history=True)
AGAINST = ("greedy", "random")


def reset(environment: Any, **arguments: Any) -> str:
    """Return what is seen after a reset."""
    environment.reset(**arguments)
    unwrapped = environment.unwrapped
    return str(unwrapped.observe("player_0") if hasattr(unwrapped, "agents") else unwrapped.action_masks().tolist())


def single(seed: Any) -> str:
    return reset(gymnasium.make("GermanWhist-v0", rules="tiny"), seed=seed)


def vector(seed: Any) -> str:
    return reset(gymnasium.make_vec("GermanWhist-v0", 2, rules="tiny"), seed=seed)


def stable_baselines3(seed: Any) -> Any:
    envs = GermanWhistVecEnv(2, rules="tiny")
    envs.set_options({"deal": (seed, 0)})
    return envs.reset().tolist()


def recording(deal: tuple[Any, Any]) -> str:
    return gw.Recording(BATCH.rules, 0, ("a", "b"), (), DealResult(0, 0.0, ((0, 0), (0, 0))), deal).to_line()


SEEDS: dict[str, Entry] = {
    "play_match": lambda seed: gw.play_match(*AGAINST, deals=2, seed=seed, rules="tiny").to_dict(),
    "play_match's first_deal": lambda seed: gw.play_match(*AGAINST, deals=2, rules="tiny", first_deal=seed).to_dict(),
    "play_sprt": lambda seed: gw.play_sprt(*AGAINST, seed=seed, rules="tiny", max_deals=3).to_dict(),
    "play_tournament": lambda seed: (
        gw.play_tournament(AGAINST, deals=2, seed=seed, rules="tiny").margins[0, 1].tolist()
    ),
    "DealBatch": lambda seed: gw.DealBatch("tiny", 2, seed).states["deck"].tolist(),
    "DealBatch's first": lambda first: gw.DealBatch("tiny", 2, 0, first).states["deck"].tolist(),
    "deal_rows' index": lambda index: (BATCH.deal_rows([0], [index]), BATCH.states["deck"].tolist()),
    "deal_rows' seed": lambda seed: (BATCH.deal_rows([0], [0], [seed]), BATCH.states["deck"].tolist()),
    "AgentRng": lambda seed: AgentRng(seed, [0]).random().tolist(),
    "AgentRng's stream": lambda stream: AgentRng(0, [0], stream).random().tolist(),
    "gymnasium.make": single,
    "gymnasium.make_vec": vector,
    "gymnasium.make_vec, one seed a row": lambda seed: vector([seed, seed]),
    "gymnasium.make_vec's option deal": lambda seed: reset(
        gymnasium.make_vec("GermanWhist-v0", 2, rules="tiny"), options={"deal": (seed, 0)}
    ),
    "TextEnv": lambda seed: gw.TextEnv("tiny", "random").reset(seed=seed),
    "pettingzoo": lambda seed: reset(gw.env(rules="tiny"), seed=seed),
    "sample_states": lambda seed: (
        gw.sample_states(BATCH.views([0]), "tiny", count=2, rng=seed).states["hands"].tolist()
    ),
    "Stable-Baselines3": stable_baselines3,
    "Recording's deal": lambda seed: recording((seed, 0)),
    "Recording's index": lambda index: recording((0, index)),
}
NUMBERS: dict[str, Entry] = {
    "play_match": lambda deals: gw.play_match(*AGAINST, deals=deals, rules="tiny").to_dict(),
    "play_match's batch_size": lambda size: gw.play_match(*AGAINST, deals=300, rules="tiny", batch_size=size).to_dict(),
    "play_sprt": lambda deals: gw.play_sprt(*AGAINST, rules="tiny", max_deals=deals).to_dict(),
    "play_tournament": lambda deals: gw.play_tournament(AGAINST, deals=deals, rules="tiny").margins[0, 1].tolist(),
    "DealBatch": lambda size: gw.DealBatch("tiny", size).states["deck"].tolist(),
    "gymnasium.make_vec": lambda size: reset(gymnasium.make_vec("GermanWhist-v0", size, rules="tiny"), seed=1),
    "sample_states": lambda count: (
        gw.sample_states(BATCH.views([0]), "tiny", count=count, rng=1).states["hands"].tolist()
    ),
}
ENTRIES = [(name, entry, False) for name, entry in SEEDS.items()]
ENTRIES += [(f"the number of {name}", entry, True) for name, entry in NUMBERS.items()]
# ``None`` goes on with the next deal, or draws a seed.
MAY_BE_NONE = (
    *("gymnasium.make", "gymnasium.make_vec", "gymnasium.make_vec, one seed a row", "TextEnv", "pettingzoo"),
    *("sample_states", "the number of play_match's batch_size"),
)
WRONG = (True, 3.0, "3", -1, None, np.array([3]))


@pytest.mark.parametrize(("name", "entry", "is_number"), ENTRIES, ids=[name for name, *_ in ENTRIES])
def test_seeds_and_counts_are_checked(name: str, entry: Entry, is_number: bool) -> None:
    number = 9  # the least that all of them take is 8
    expected = repr(entry(number))
    for kind in (np.int64, np.uint32, np.uint8):
        assert repr(entry(kind(number))) == expected
    for wrong in WRONG if is_number else (*WRONG, 2**64):
        if wrong is None and name in MAY_BE_NONE:
            entry(None)
            continue
        with pytest.raises(ValueError, match="must"):
            entry(wrong)

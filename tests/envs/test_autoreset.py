"""The autoreset modes of the vector environment, against Gymnasium's ``SyncVectorEnv`` over single environments."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from hypothesis import given, settings
from hypothesis import strategies as st

from german_whist.envs.gymnasium_env import GermanWhistEnv
from german_whist.envs.gymnasium_vector_env import GermanWhistVectorEnv
from tests.players import Lowest, Random, random_legal

GAME = "german_whist:GermanWhist-v0"
HUMBUG = "humbug:suits=2,ranks=4,hand=2,book=0"
RULES = ["tiny", "tiny:draft=true", "tiny:counts=all", "tiny:open_stock=4", "race", "classic", HUMBUG]
KEYS = ("observations", "action_mask")
MODES = list(AutoresetMode)
pytestmark = pytest.mark.filterwarnings("error")


def assert_same_info(ours: dict[str, Any], theirs: dict[str, Any], but: tuple[str, ...] = ()) -> None:
    """Compare infos: the same entries, and the same values in the rows that have them."""
    assert set(ours) == set(theirs)
    for key, value in theirs.items():
        if key.startswith("_") or key in but:
            continue
        rows = theirs[f"_{key}"]
        np.testing.assert_array_equal(ours[f"_{key}"], rows)
        if isinstance(value, dict):
            assert_same_info(ours[key], value)
        else:
            np.testing.assert_equal(list(ours[key][rows]), list(value[rows]))
            assert ours[key].dtype == (
                bool if key == "illegal" else value.dtype
            )  # Gymnasium packs NumPy bools as objects


def actions_for(mask: Any, rng: np.random.Generator) -> Any:
    """Random legal actions, now and then an illegal one, and any in rows that are over."""
    actions = random_legal(mask, rng)
    wild = rng.random(len(mask)) < 0.03
    actions[wild] = rng.integers(-2, 60, wild.sum())
    return actions


@settings(max_examples=40, deadline=None)
@given(
    mode=st.sampled_from(MODES),
    rules=st.sampled_from(RULES),
    match=st.sampled_from([None, None, "best_of:3", "first_to:4"]),
    seat=st.sampled_from([0, 1, "alternate"]),
    reward=st.sampled_from(["margin", "win", "points"]),
    canonical=st.booleans(),
    dense=st.booleans(),
    endgame=st.sampled_from(["played", "played", "exact"]),
    observation=st.sampled_from(["vector", "history", "both"]),
    keys=st.sampled_from([None, KEYS]),
    num_envs=st.integers(1, 4),
    seed=st.integers(0, 2**64 - 1),
    random=st.booleans(),
)
def test_steps_match_sync_vector_env(
    mode: AutoresetMode, num_envs: int, seed: int, random: bool, keys: Any, **given: Any
) -> None:
    opponent = Random() if random else Lowest()
    common = {**given, "observation_keys": keys}
    if given["rules"] == HUMBUG:
        common["endgame"] = "played"  # it is not open
    common["dense"] &= given["match"] is None and given["reward"] == "margin"
    ours = GermanWhistVectorEnv(opponent, num_envs, autoreset_mode=mode, **common)
    theirs = SyncVectorEnv([lambda: GermanWhistEnv(opponent, **common)] * num_envs, autoreset_mode=mode)
    assert ours.observation_space == theirs.observation_space
    assert ours.single_observation_space == theirs.single_observation_space
    rng = np.random.default_rng(seed)
    seeds = rng.integers(0, 2**63, num_envs).tolist()
    (seen, info), (expected, other_info) = ours.reset(seed=seeds), theirs.reset(seed=seeds)
    np.testing.assert_equal(seen, expected)
    assert_same_info(info, other_info)
    for _ in range(40):
        assert ours.observation_space.contains(seen)
        actions = actions_for(info["action_mask"], rng)
        told, other = ours.step(actions), theirs.step(actions)
        np.testing.assert_equal(told[:4], other[:4])
        assert [array.dtype for array in told[1:4]] == [array.dtype for array in other[1:4]]
        # With SAME_STEP Gymnasium's info is that of the new episode alone, and ours still says how the old one ended.
        assert_same_info(told[4], other[4], ("illegal",) if mode is AutoresetMode.SAME_STEP else ())
        seen, ended, info = told[0], told[2], told[4]
        if mode is AutoresetMode.DISABLED and ended.any():
            with pytest.raises(ValueError, match=r"are over: reset them first, with the option reset_mask"):
                ours.step(actions)
            again: Any = None if rng.random() < 0.7 else rng.integers(0, 9, num_envs).tolist()
            mask = ended | (rng.random(num_envs) < 0.2)
            options = {"reset_mask": mask}  # theirs takes it out, ours leaves it
            seen, info = ours.reset(seed=again, options=options)
            expected, other_info = theirs.reset(seed=again, options=options)
            np.testing.assert_equal(seen, expected)
            assert_same_info(info, other_info)
            np.testing.assert_array_equal(info["action_mask"], ours.action_masks())  # also of the rows that go on
    assert len(set(map(str, [ours.autoreset_mode, ours.metadata["autoreset_mode"], theirs.autoreset_mode]))) == 1


@pytest.mark.parametrize("mode", MODES)
def test_autoreset_mode_is_in_metadata(mode: AutoresetMode) -> None:
    for form in (mode, mode.name, mode.value):
        environment = gymnasium.make_vec(GAME, num_envs=2, opponent="random", autoreset_mode=form)
        assert environment.autoreset_mode is environment.metadata["autoreset_mode"] is mode  # type: ignore[attr-defined]
    assert GermanWhistVectorEnv.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    with pytest.raises(ValueError, match="did you mean 'NEXT_STEP'"):
        gymnasium.make_vec(GAME, num_envs=2, autoreset_mode="NEXTSTEP")


def test_float_actions_are_refused_unless_whole() -> None:
    ours, theirs = (GermanWhistVectorEnv(Lowest(), 4) for _ in range(2))
    _, info = ours.reset(seed=1)
    theirs.reset(seed=1)
    cards = info["action_mask"].argmax(axis=1)
    np.testing.assert_equal(ours.step(cards.astype(np.float32)), theirs.step(cards))
    types = (cards + 0.5, [None] * 4, cards > 0, [np.nan] * 4, ["a"] * 4)
    shapes = (cards[:3], cards[:3].astype(float), cards[:, None], 0)
    before = ours.action_masks()
    for wrong in (*types, *shapes):
        with pytest.raises(ValueError, match=r"actions must be integers, int\[4\], got"):
            ours.step(wrong)  # type: ignore[arg-type]
        assert np.array_equal(ours.action_masks(), before)
    assert ours.step([1e30, -1e30, 2.0**63, -1])[4]["illegal"].all()
    ours.reset(seed=1)
    assert ours.step(np.full(4, 2**64 - 1, np.uint64))[4]["illegal"].all()


def test_match_options_address_matches() -> None:
    settings = {"opponent": Random(), "rules": "tiny", "match": "first_to:6", "reward": "win"}
    environment, single = GermanWhistVectorEnv(num_envs=5, **settings), GermanWhistEnv(**settings)
    for seed, options in ((4, None), (None, {"match": (6, 2), "dealer": 1})):
        seen, _ = environment.reset(seed=seed, options=options)
        for row in range(5):
            number = row if options is None else 2 + row
            address = {"match": (seed or 6, number), "dealer": None if options is None else 1}
            np.testing.assert_array_equal(seen[row], single.reset(options=address)[0])
    with pytest.raises(ValueError, match="match number"):
        environment.reset(options={"match": (6, 2**52 - 2)})
    with pytest.raises(ValueError, match="option deck is for single deals"):
        environment.reset(options={"deck": "C2"})
    with pytest.raises(ValueError, match="option match"):
        GermanWhistEnv(opponent=Random(), rules="tiny").reset(options={"match": (6, 2)})

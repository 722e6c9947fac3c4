"""What users rely on, each by a small use of the public door: every variant, setting, option, form and file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import german_whist as gw
from tests.cli.commands import runner

PRESETS = (
    "all", "classic", "draft", "high_low", "humbug", "no_trump", "open_stock", "race", "race9", "seventh", "short",
    "six_cards", "small", "small_all", "tiny",
)  # fmt: skip
SEED_SETTINGS = (
    "classic:counts=all,points=over_half",
    "classic:points=over_book,book=6,slam=10",
    "small:points=over_book,book=3,slam=5",
    "small_all:points=over_book,book=6",
    "classic:high_low=true,trump=none",
    "no_trump:counts=all",
    "open_stock:open_stock=3",
    "draft:counts=all",
    "race:race=5,counts=endgame",
    "humbug:trump=turned",
    "classic:suits=2,ranks=4,hand=2,stock=4",
)
MATCHES = ("first_to:10", "first_to:25", "first_to:50", "first_to:7", "best_of:3", "best_of:5")
ID = "german_whist:GermanWhist-v0"


def finish(env: Any) -> dict[str, float]:
    """Play lowest legal actions to the end of an episode and return the rewards by agent."""
    rewards = dict.fromkeys(env.agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        rewards[agent] += reward
        env.step(None if terminated or truncated else int(observation["action_mask"].argmax()))
    return rewards


@pytest.mark.parametrize("rules", [*PRESETS, *SEED_SETTINGS])
def test_every_preset_and_setting_of_the_sources_is_played(rules: str) -> None:
    assert gw.play_match("heuristic", "random", deals=4, rules=rules).deals == 4


@pytest.mark.parametrize("match", MATCHES)
def test_matches_of_every_format_are_played(match: str) -> None:
    env = gw.env(rules="small:points=over_book,book=3", match=match)
    env.reset(seed=1)
    assert sum(finish(env).values()) == 0


@pytest.mark.parametrize("reward", ["margin", "win", "points"])
@pytest.mark.parametrize("more", [{}, {"canonical": True}, {"endgame": "exact"}])
def test_rewards_are_zero_sum_in_every_observation_form(reward: str, more: dict[str, Any]) -> None:
    env = gw.env(reward=reward, **more)
    env.reset(seed=3)
    assert sum(finish(env).values()) == 0


def test_dense_rewards_add_up_to_the_margin() -> None:
    dense, plain = gw.env(dense=True), gw.env()
    dense.reset(seed=2)
    plain.reset(seed=2)
    assert finish(dense) == finish(plain)


def test_reset_options_choose_dealer_deck_and_deal() -> None:
    env = gw.env()
    deck = " ".join(gw.card_text(card) for card in np.random.default_rng(0).permutation(52).tolist())
    for dealer in (0, 1):
        env.reset(seed=1, options={"dealer": dealer, "deck": deck, "unknown": 1})
        assert env.agent_selection == f"player_{1 - dealer}"
    env.reset(options={"deal": (4, 7)})
    batch = gw.DealBatch("classic", 1, seed=4, first=7)
    np.testing.assert_array_equal(env.last()[0]["observation"], batch.observe()[0])


@pytest.mark.parametrize("mode", ["ansi", "rgb_array"])
def test_render_modes(mode: str) -> None:
    env = gw.env(render_mode=mode)
    env.reset(seed=0)
    frame = env.render()
    assert isinstance(frame, str) if mode == "ansi" else frame.shape[2] == 3


def test_gymnasium_forms() -> None:
    single = gymnasium.make(ID, observation_keys=("observations", "action_mask"), seat=1)
    assert set(single.reset(seed=0)[0]) == {"observations", "action_mask"}
    envs = gymnasium.make_vec(ID, num_envs=3, opponent="greedy")
    _, info = envs.reset(seed=0)
    assert info["action_mask"].shape == (3, 52)
    on_device = gymnasium.make_vec(ID, num_envs=3, device="cpu")
    assert on_device.reset(seed=0)[0].shape == envs.observation_space.shape


def test_batches_of_arrays_and_tensors() -> None:
    assert gw.DealBatch("classic", 2, seed=1, first=4).observe().shape == (2, 443)
    assert tuple(gw.DealBatch("classic", 2, device="cpu").action_mask().shape) == (2, 52)


@pytest.mark.parametrize("name", ["random", "greedy", "heuristic", "champion", "small", "mc:worlds=4", "greedy+exact"])
def test_agents_by_name(name: str) -> None:
    views = gw.DealBatch("classic", 2).views()
    actions = gw.make_agent(name).act(views, np.random.default_rng(0))
    assert all(int(view["legal"]) >> int(action) & 1 for view, action in zip(views, actions, strict=True))


def test_results_are_json(capsys: pytest.CaptureFixture[str]) -> None:
    run = runner(capsys)
    match = gw.play_match("greedy", "random", deals=20)
    assert json.loads(json.dumps(match.to_dict()))["wins"] == match.wins
    for command in (
        "evaluate greedy random --deals 20",
        "arena greedy random heuristic --deals 20",
        "exploit random --rules tiny:ranks=3,stock=2",
        "evaluate greedy random --sprt 0,200 --deals 400",
        "rules classic",
        "agents",
    ):
        assert json.loads(run(*command.split(), "--json").out), command


def test_a_run_resumes_and_its_weights_are_safetensors(tmp_path: Path) -> None:
    from safetensors.numpy import load_file

    small = {"hidden": [8, 8, 8, 8, 8, 8], "value_hidden": [8, 8, 8, 8], "num_envs": 64, "batch_size": 64}
    few = {"evaluate_deals": 2, "final_deals": 2, "processes": 1}
    outcome = gw.train("quickstart", decisions=6000, out=tmp_path / "run", quiet=True, **small, **few)
    assert load_file(tmp_path / "run" / "final.safetensors")
    more = gw.train(resume=outcome.path, decisions=9000, quiet=True)
    assert gw.play_match(more.agent, "random", deals=20).win_rate > 0.5

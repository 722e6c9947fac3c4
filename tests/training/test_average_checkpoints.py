"""The mean of several networks' weights, with a value of its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.checkpoint import Checkpoint, load_checkpoint
from german_whist.envs.simulator.batch import DealBatch
from german_whist.training.average_checkpoints import average_checkpoints, main
from german_whist.training.config.game_settings import every_game
from german_whist.training.policy_iteration.value_fit import self_play_outcomes
from tests.training.policy_iteration.known_targets import ALL_PARTS, run

TWO_GAMES = {"games": {"tiny": 1.0, "six_cards": 3.0}, "inputs": "universal"}


def final(folder: Path, **changes: object) -> Path:
    return run(folder, **{"decisions": 128, "value_deals": 100, **changes}).run.final


@pytest.mark.parametrize("changes", [{}, ALL_PARTS, TWO_GAMES], ids=["plain", "suit layers", "two games"])
def test_weights_are_the_mean_and_the_value_is_that_of_its_own_play(tmp_path: Path, changes: dict[str, object]) -> None:
    sources = [final(tmp_path / str(seed), seed=seed, **changes) for seed in range(3)]
    average_checkpoints(sources, tmp_path / "mean.safetensors", value_deals=500)
    networks, mean = [load_checkpoint(path) for path in sources], load_checkpoint(tmp_path / "mean.safetensors")
    pairs: list[tuple[str, slice]] = [("layers", slice(None)), ("value", slice(-1))]  # the value's last layer is fitted
    for name, kept in pairs:
        for averaged, *layers in zip(*(getattr(network, name)[kept] for network in (mean, *networks)), strict=True):
            for weight, *others in zip(averaged, *layers, strict=True):
                np.testing.assert_allclose(weight, np.mean(others, axis=0), rtol=1e-5, atol=1e-7)
    values = PolicyAgent(mean).values(DealBatch("tiny", 50).views())
    assert values is not None
    assert ((values.win > 0) & (values.win < 1)).all()
    assert np.corrcoef(values.margin, values.win)[0, 1] > 0.5
    assert mean.training["algorithm"] == f"{networks[-1].training['algorithm']}; the mean of 3 networks"
    assert (mean.results, mean.training["decisions"]) == ({}, networks[-1].training["decisions"])
    assert _kind(mean) == _kind(networks[0])


@pytest.mark.parametrize(
    ("games", "fitted"),
    [({"tiny": 1.0}, {"tiny": 1.0}), ({"tiny": 0.5, "six_cards": 0.5}, every_game())],
    ids=["one game", "two games"],
)
def test_the_value_is_fitted_to_the_games_of_the_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, games: dict[str, float], fitted: dict[str, float]
) -> None:
    one, other = [final(tmp_path / str(seed), seed=seed, games=games, inputs="universal") for seed in range(2)]
    asked = []

    def outcomes(policy: object, shares: dict[str, float], *rest: object) -> object:
        asked.append(shares)
        return self_play_outcomes(policy, {"tiny": 1.0}, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr("german_whist.training.average_checkpoints.self_play_outcomes", outcomes)
    average_checkpoints([one, other], tmp_path / "mean.safetensors", value_deals=100)
    assert asked == [fitted]


def _kind(checkpoint: Checkpoint) -> tuple[object, ...]:
    return (checkpoint.rules, checkpoint.inputs, checkpoint.suit_layers, checkpoint.ranks)


def test_a_mean_of_networks_without_value_has_none(tmp_path: Path) -> None:
    one = final(tmp_path / "one", value_deals=0)
    other = final(tmp_path / "other", seed=1)
    average_checkpoints([one, other], tmp_path / "mean.safetensors")
    assert load_checkpoint(tmp_path / "mean.safetensors").value == ()


def test_what_has_no_mean_is_refused_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, wide = final(tmp_path / "one", value_deals=0), final(tmp_path / "wide", value_deals=0, hidden=[17])
    target = tmp_path / "mean.safetensors"
    for sources, message in [
        ([one], "a mean needs at least two checkpoints"),
        ([one, wide], "differ in more than their weights"),
        ([one, tmp_path / "none"], "none"),
    ]:
        assert main([*map(str, sources), "--out", str(target)]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert message in line
    assert not target.exists()
    assert main([str(one), str(one), "--out", str(target)]) == 0
    assert "the mean of 2 checkpoints" in capsys.readouterr().out

"""One network for several games: the settings, the rollouts and a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.checkpoint import load_checkpoint
from german_whist.agents.policy.network.layers import UNIVERSAL
from german_whist.evaluation.match import play_match
from german_whist.game.rules import rule_names, rules
from german_whist.training.policy_iteration.config import every_game
from german_whist.training.policy_iteration.trainer import PolicyIteration
from german_whist.training.processes import Processes
from german_whist.training.run.directory import RunDirectory
from tests.training.policy_iteration_runs import small_config as config
from tests.training.policy_iteration_runs import train_small as run
from tests.training.whole_runs import resume_run

TWO = {"games": {"tiny": 1.0, "six_cards": 3.0}, "inputs": UNIVERSAL}


def test_every_game_has_a_share() -> None:
    shares = config(games={"every": 1.0}, inputs=UNIVERSAL).shares
    assert set(shares) == set(rule_names()) - {"humbug", "seventh"}  # seventh is classic, scored in another way
    assert sum(shares.values()) == pytest.approx(1)
    assert shares == pytest.approx(every_game())
    assert shares["classic"] / shares["small"] == rules("classic").stock / rules("small").stock
    assert shares["high_low"] == 2 * shares["classic"]
    with_more = config(games={"every": 1.0, "tiny:hand=3,stock=2": 1.0}, inputs=UNIVERSAL).shares
    assert with_more["tiny:hand=3,stock=2"] == 0.5


SIZE = {"num_envs": 16, "num_steps": 4}


def state_of(tmp_path: Path, **changes: object) -> PolicyIteration:
    return PolicyIteration(config(**{**TWO, **SIZE, **changes}), RunDirectory(tmp_path), Processes())


def test_games_share_the_environments(tmp_path: Path) -> None:
    collectors = state_of(tmp_path, num_envs=18).collectors
    assert [(part.batch.rules, part.batch.size) for part in collectors] == [
        (rules("tiny"), 4),
        (rules("six_cards"), 14),
    ]
    with pytest.raises(ValueError, match="'tiny'"):
        state_of(tmp_path, num_envs=1, num_steps=40)


def test_run_over_several_games(tmp_path: Path) -> None:
    changes = {**TWO, **SIZE, "rules": "classic", "learning_rate_end": 2e-3}
    whole = run(tmp_path / "whole", **changes)
    run(tmp_path / "half", **changes, decisions=512)
    half = resume_run(tmp_path / "half", decisions=whole.decisions).run
    made, again = load_checkpoint(whole.run.final), load_checkpoint(half.final)
    for layers, others in ((made.layers, again.layers), (made.value, again.value)):
        assert all(
            (a == b).all() for one, two in zip(layers, others, strict=True) for a, b in zip(one, two, strict=True)
        )
    assert "2 games" in whole.report()[0].title
    assert made.inputs == UNIVERSAL
    assert made.rules == rules("six_cards")  # most of its environments
    assert made.sizes[-1] == 54
    assert set(made.results) == {"random, tiny", "random, six_cards"}
    assert {row["opponent"] for row in whole.run.read_evaluations()} == set(made.results)
    for game in ("classic", "draft", "small:open_stock=2"):
        assert play_match(PolicyAgent(made, rules=rules(game)), "random", deals=4, rules=game).deals == 4

"""The teacher: what it says of positions, and that the network learns it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from german_whist.agents.base import Agent
from german_whist.agents.checkpoint import Checkpoint, load_checkpoint
from german_whist.agents.exact import ExactEndgame
from german_whist.agents.policy import PolicyAgent
from german_whist.agents.registry import make_agent
from german_whist.envs.batch import DealBatch
from german_whist.envs.cards import cards_of
from german_whist.envs.observation import observation_high
from german_whist.envs.rules import rules as game_of
from german_whist.training.config import load_config
from german_whist.training.distributed import Processes
from german_whist.training.lessons import Lessons
from german_whist.training.playout_network import PlayoutNetwork
from german_whist.training.run_directory import RunDirectory
from german_whist.training.settings import TeacherConfig
from german_whist.training.teacher import LOGITS_A_TRICK, TRICKS_AN_OUTPUT, Teacher
from german_whist.training.trainer import TrainingOutcome, train

SETTINGS: dict[str, Any] = {
    "rules": "tiny",
    "decisions": 1024,
    "rows": 16,
    "steps": 4,
    "batch_size": 32,
    "hidden": [16],
    "evaluate_every": 512,
    "evaluate_deals": 10,
    "evaluate_against": ["random"],
    "final_deals": 20,
    "checkpoint_every": 256,
    "precision": "float32",
}


WITH_STUDENT: dict[str, Any] = {
    "opponents": {"self": 0.5, "pool": 0.25, "heuristic": 0.25},
    "playout_hidden": 8,
    "playout_from": 300,
}


def config(**changes: Any) -> TeacherConfig:
    return TeacherConfig(**{**SETTINGS, **changes})


def run(folder: Path, **changes: Any) -> TrainingOutcome:
    settings = config(**changes)
    return train(settings, RunDirectory.create(settings, "taught", folder), quiet=True)


def by_playing_on(lessons: Lessons, row: int, bots: Sequence[Agent] | None = None) -> dict[int, float]:
    """What each action of a row leads to: the seats go on as these bots in the foreplay, perfectly in the endgame."""
    deals, seat = lessons.batch, int(lessons.batch.turn[row])
    players = [ExactEndgame(bot) for bot in bots or [make_agent("heuristic")] * 2]
    worth = {}
    for action in cards_of(int(deals.legal()[row])):
        batch = DealBatch(deals.rules, 1)
        batch.states[:] = deals.states[row : row + 1]
        batch.step([action])
        while not batch.done.all():
            batch.step(players[int(batch.turn[0])].act(batch.views(), None))
        worth[action] = float(batch.returns("margin")[0, seat])
    return worth


@pytest.mark.parametrize("rules", ["classic", "all", "no_trump", "small", "high_low", "open_stock", "draft", "tiny"])
def test_every_action_is_worth_what_playing_on_gives(rules):
    lessons = Lessons(config(rules=rules, rows=6, steps=3), {})
    lessons.collect(lambda cells: torch.zeros((len(cells), lessons.batch.num_actions)))
    for row in range(6):
        expected = by_playing_on(lessons, row)
        lessons._look(0)  # asks of the positions that the rollout has come to
        for action, worth in expected.items():
            assert len(expected) == 1 or lessons._worth_by_name[row, action] == worth


def some_student(rules: str, ranks: str = "live") -> PolicyAgent:
    cells, actions = observation_high(rules).size, DealBatch(rules, 1).num_actions
    rng = np.random.default_rng(1)
    shapes = [(24, cells), (24,), (actions, 24), (actions,)]
    weight, bias, last_weight, last_bias = (rng.normal(0, 0.3, shape).astype(np.float32) for shape in shapes)
    return PolicyAgent(Checkpoint(((weight, bias), (last_weight, last_bias)), game_of(rules), ranks=ranks))


def lowest_of_its_run(lessons: Lessons, row: int) -> dict[int, int]:
    """For each action of a row the lowest with no card in play between them, which is tried in its place."""
    view = lessons.batch.views([row])[0]
    led = 1 << int(view["led"]) if view["led"] >= 0 else 0
    in_play = led | int(view["hand"] | view["unseen"] | view["opponent_known"] | view["face_up"])
    actions = list(cards_of(int(lessons.batch.legal()[row])))
    lowest = {}
    for action, below in zip(actions, [-1, *actions], strict=False):
        between = [card for card in cards_of(in_play) if below < card < action]
        alone = below // 13 != action // 13 or action >= 52 or view["choice"] or between
        lowest[action] = action if alone else lowest[below]
    return lowest


@pytest.mark.parametrize("ranks", ["live", "named"])
@pytest.mark.parametrize("rules", ["classic", "no_trump", "small", "high_low", "open_stock", "draft", "race"])
def test_a_student_plays_on_as_its_network_would(rules, ranks):
    student, heuristic = some_student(rules, ranks), make_agent("heuristic")
    settings = config(rules=rules, ranks=ranks, rows=32, steps=5, opponents={"self": 0.5, "heuristic": 0.5})
    lessons = Lessons(settings, {"heuristic": lambda _: heuristic})
    lessons.collect(lambda cells: torch.zeros((len(cells), lessons.batch.num_actions)))
    lessons.play_on(PlayoutNetwork.of(student.checkpoint.layers))
    lessons._look(0)
    by_heuristic = 0
    for row in range(10, 32):
        seat, learner = int(lessons.batch.turn[row]), int(lessons._learner_seat[row])
        bots: list[Agent] = [student, student]
        if row >= 16 and seat == learner:
            bots[1 - seat] = heuristic  # who holds the other seat plays on for it; whoever acts learns
            by_heuristic += 1
        expected = by_playing_on(lessons, row, bots)
        stand_for = lowest_of_its_run(lessons, row)
        for action in expected:
            assert len(expected) == 1 or lessons._worth_by_name[row, action] == expected[stand_for[action]]
    assert 0 < by_heuristic < 16


def test_a_margin_beyond_need_counts_less():
    plain, useful = (Lessons(config(rules="classic", rows=40, utility=utility), {}) for utility in (0, 3))
    for lessons in (plain, useful):
        lessons._look(0)
    margins = plain.worth[0]
    assert margins.abs().amax() > 5
    torch.testing.assert_close(useful.worth[0], 3 * torch.tanh(margins / 3))


def test_the_student_comes_to_say_what_the_learner_says():
    settings = config(
        rows=64, learning_rate=1e-2, learning_rate_end=1e-2, batch_size=64, hidden=[64], playout_hidden=64
    )
    teacher = Teacher(settings, torch.ones(20), 20, 5, Processes())
    cells = torch.randint(0, 2, (64, 20), generator=torch.Generator().manual_seed(0)).to(torch.int8)
    masks, worth = torch.ones((64, 5), dtype=torch.bool), torch.randn((64, 5))
    for _ in range(200):
        teacher.update(cells, masks, worth, 0.0)
    said = teacher.policy(cells) / LOGITS_A_TRICK
    assert teacher.student is not None
    with torch.no_grad():
        repeated = teacher.student.network(cells) * TRICKS_AN_OUTPUT
    said, repeated = (outputs - outputs.mean(1, keepdim=True) for outputs in (said, repeated))
    assert ((said - repeated) ** 2).mean() < 0.1 * (said**2).mean()


def test_worth_stands_by_role_beside_the_mask():
    lessons = Lessons(config(rules="classic", rows=8, steps=2), {})
    made = lessons.collect(lambda cells: torch.zeros((len(cells), 52)))
    assert not lessons.worth[:-1][~made.masks[:-1]].any()
    assert lessons.worth[:-1].abs().amax() > 0
    rows = np.arange(8)
    lessons._look(0)
    masks = made.masks[0].numpy()
    for row in rows:
        actions = np.flatnonzero(masks[row])
        named = lessons._roles[row, actions].astype(int)
        assert (lessons.worth[0, row].numpy()[actions] == lessons._worth_by_name[row, named]).all()


def test_the_network_comes_to_say_what_the_teacher_says():
    settings = config(rows=64, learning_rate=1e-2, learning_rate_end=1e-2, batch_size=64, hidden=[256])
    teacher = Teacher(settings, torch.ones(20), 20, 5, Processes())
    generator = torch.Generator().manual_seed(0)
    cells = torch.randint(0, 2, (64, 20), generator=generator).to(torch.int8)
    masks = torch.rand((64, 5), generator=generator) < 0.8
    masks[:, :2] = True
    worth = torch.randn((64, 5), generator=generator) * 3
    first = teacher.update(cells, masks, worth, 0.0)
    for _ in range(150):
        last = teacher.update(cells, masks, worth, 0.0)
    assert last["losses/loss"] < first["losses/loss"] / 5
    assert last["losses/explained_variance"] > 0.8
    logits = teacher.policy(cells)
    for row in range(5):
        legal = masks[row]
        said = logits[row][legal] / LOGITS_A_TRICK
        truth = worth[row][legal]
        assert torch.allclose(said - said.mean(), truth - truth.mean(), atol=2.5)


def test_where_there_is_no_choice_nothing_is_learnt():
    teacher = Teacher(config(), torch.ones(4), 4, 3, Processes())
    before = [weight.clone() for _, weight in teacher.named_parameters()]
    masks = torch.zeros((32, 3), dtype=torch.bool)
    masks[:, 0] = True
    teacher.update(torch.ones((32, 4), dtype=torch.int8), masks, torch.ones((32, 3)), 0.0)
    assert all(torch.equal(weight, old) for (_, weight), old in zip(teacher.named_parameters(), before, strict=True))


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> TrainingOutcome:
    return run(tmp_path_factory.mktemp("taught") / "run", **WITH_STUDENT)


def test_a_run_leaves_a_checkpoint_that_says_what_it_is(finished):
    checkpoint = load_checkpoint(finished.run.final)
    assert checkpoint.training["algorithm"] == "regression on rollouts of the heuristic bot, later of its student"
    assert (checkpoint.ranks, checkpoint.endgame) == ("live", "solved")
    assert "entropy" not in checkpoint.training["config"]
    assert checkpoint.results["random"]["endgame"] == "exact"
    assert checkpoint.endgame == "solved"
    assert finished.run.metrics.read_text().splitlines()[0].split(",")[-1] == "losses/explained_variance"
    assert finished.run.curve.exists()


def test_it_leaves_its_student_too(finished):
    student = load_checkpoint(finished.run.student)
    assert [bias.size for _, bias in student.layers[:-1]] == [8]
    assert student.ranks == "live"
    assert student.training == load_checkpoint(finished.run.final).training


def test_its_network_starts_another_run_where_it_ended(finished, tmp_path):
    settings = config(init=str(finished.run.final))
    teacher = Teacher(settings, torch.ones(50), 50, 8, Processes())
    layers = load_checkpoint(finished.run.final).layers
    scale = torch.ones(layers[0][0].shape[1])
    teacher = Teacher(settings, scale, len(scale), layers[-1][1].size, Processes())
    teacher.start_from(layers, "it")
    for (weight, bias), (again, and_bias) in zip(layers, teacher.layers(), strict=True):
        np.testing.assert_allclose(weight, again, rtol=1e-6)
        np.testing.assert_allclose(bias, and_bias, rtol=1e-6)


def test_a_run_that_was_stopped_ends_as_one_that_was_not(finished, tmp_path):
    outcome = run(tmp_path / "run", **WITH_STUDENT, decisions=1024)
    assert contents(outcome) == contents(finished)
    half = tmp_path / "half"
    settings = config(**WITH_STUDENT)
    directory = RunDirectory.create(settings, "taught", half)
    from german_whist.training.teacher_learner import TeacherLearner

    learner = TeacherLearner(settings, directory, Processes())
    learner.save(0.0)
    while learner.decisions < 512:
        if learner.decisions and learner.decisions % settings.checkpoint_every == 0:
            learner.save(0.0)
        learner.train_once(lambda decisions: None)
    learner.save(0.0)
    assert contents(train(settings, directory, resume=True, quiet=True)) == contents(finished)


def contents(outcome: TrainingOutcome) -> list[bytes]:
    files = (outcome.run.final, outcome.run.student)
    return [array.tobytes() for file in files for layer in load_checkpoint(file).layers for array in layer]


def test_humbug_has_no_teacher(tmp_path):
    with pytest.raises(ValueError, match="humbug"):
        Lessons(config(rules="humbug"), {})


def test_what_only_policy_gradients_need_is_refused(tmp_path):
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text("trainer: teacher\nentropy: 0.1\n")
    with pytest.raises(ValueError, match="entropy: only trainer: sb3 has this setting, and this is teacher"):
        load_config(recipe)
    assert isinstance(load_config("champion"), TeacherConfig)

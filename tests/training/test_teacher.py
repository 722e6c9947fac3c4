"""The teacher: what it says of positions, and that the network learns it."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from german_whist.agents.checkpoint import load_checkpoint
from german_whist.training.config import load_config
from german_whist.training.distributed import Processes
from german_whist.training.lessons import Lessons
from german_whist.training.run_directory import RunDirectory
from german_whist.training.settings import TeacherConfig
from german_whist.training.teacher import LOGITS_A_TRICK, Teacher
from german_whist.training.teacher_learner import TeacherLearner
from german_whist.training.trainer import TrainingOutcome, train
from tests.training.taught import WITH_STUDENT, by_playing_on, config, run


@pytest.mark.parametrize("rules", ["classic", "all", "no_trump", "small", "high_low", "open_stock", "draft", "tiny"])
def test_every_action_is_worth_what_playing_on_gives(rules):
    lessons = Lessons(config(rules=rules, rows=6, steps=3), {})
    lessons.collect(lambda cells: torch.zeros((len(cells), lessons.batch.num_actions)))
    for row in range(6):
        expected = by_playing_on(lessons, row)
        lessons._look(0)  # asks of the positions that the rollout has come to
        for action, worth in expected.items():
            assert len(expected) == 1 or lessons._worth_by_name[row, action] == worth


def test_a_margin_beyond_need_counts_less():
    plain, useful = (Lessons(config(rules="classic", rows=40, utility=utility), {}) for utility in (0, 3))
    for lessons in (plain, useful):
        lessons._look(0)
    margins = plain.worth[0]
    assert margins.abs().amax() > 5
    torch.testing.assert_close(useful.worth[0], 3 * torch.tanh(margins / 3))


@pytest.mark.parametrize("epochs", [1, 3])
def test_every_pass_takes_its_steps(epochs):
    teacher = Teacher(config(epochs=epochs, batch_size=16), torch.ones(4), 4, 3, Processes())
    masks, worth = torch.ones((64, 3), dtype=torch.bool), torch.randn((64, 3))
    teacher.update(torch.ones((64, 4), dtype=torch.int8), masks, worth, torch.zeros(64), 0.0)
    assert {int(teacher.state()[f"optimizer.{weight}.step"]) for weight in range(4)} == {4 * epochs}


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
    first = teacher.update(cells, masks, worth, torch.zeros(64), 0.0)
    for _ in range(150):
        last = teacher.update(cells, masks, worth, torch.zeros(64), 0.0)
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
    teacher.update(torch.ones((32, 4), dtype=torch.int8), masks, torch.ones((32, 3)), torch.ones(32), 0.0)
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
    assert finished.run.metrics.read_text().splitlines()[0].split(",")[-1] == "losses/value_explained_variance"
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

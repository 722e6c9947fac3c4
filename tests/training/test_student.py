"""The student: rollouts that it plays on in or judges, and that it learns to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import torch

from german_whist.agents.base import Agent
from german_whist.agents.canonical import canonical_views
from german_whist.agents.checkpoint import Checkpoint, Layer
from german_whist.agents.exact import ExactEndgame
from german_whist.agents.forward import Network
from german_whist.agents.policy import PolicyAgent
from german_whist.agents.registry import make_agent
from german_whist.envs.batch import DealBatch
from german_whist.envs.cards import cards_of
from german_whist.envs.observation import observation_high, observe
from german_whist.envs.rules import rules as game_of
from german_whist.training.actor_critic import Perceptron
from german_whist.training.distributed import Processes
from german_whist.training.lessons import Lessons
from german_whist.training.playout_network import PlayoutNetwork
from german_whist.training.student import TRICKS_AN_OUTPUT, SmallNetwork
from german_whist.training.teacher import LOGITS_A_TRICK, Teacher
from tests.training.taught import by_playing_on, config


def some_student(rules: str, ranks: str = "live") -> PolicyAgent:
    cells, actions = observation_high(rules).size, DealBatch(rules, 1).num_actions
    rng = np.random.default_rng(1)
    shapes = [(24, cells), (24,), (actions, 24), (actions,)]
    weight, bias, last_weight, last_bias = (rng.normal(0, 0.3, shape).astype(np.float32) for shape in shapes)
    return PolicyAgent(Checkpoint(((weight, bias), (last_weight, last_bias)), game_of(rules), ranks=ranks))


def some_value(rules: str) -> tuple[Layer, ...]:
    cells = observation_high(rules).size
    rng = np.random.default_rng(2)
    weight, bias, last_weight, last_bias = (
        rng.normal(0, 0.3, shape).astype(np.float32) for shape in [(24, cells), (24,), (1, 24), (1,)]
    )
    return (weight, bias), (last_weight, last_bias)


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
    for row in range(10, 32):
        seat = int(lessons.batch.turn[row])
        bots: list[Agent] = [student, student]
        if row >= 16:
            bots[1 - seat] = heuristic  # whoever acts is taught against it
        expected = by_playing_on(lessons, row, bots)
        stand_for = lowest_of_its_run(lessons, row)
        for action in expected:
            assert len(expected) == 1 or lessons._worth_by_name[row, action] == expected[stand_for[action]]


def by_looking_ahead(lessons: Lessons, row: int, bots: Sequence[Agent], value: Network, left: int) -> dict[int, float]:
    """What each action of a row leads to by what ``value`` says at the seat's next choices, so many of them."""
    deals, seat = lessons.batch, int(lessons.batch.turn[row])
    worth = {}
    for action in cards_of(int(deals.legal()[row])):
        batch = DealBatch(deals.rules, 1)
        batch.states[:] = deals.states[row : row + 1]
        batch.step([action])
        said: list[float] = []
        while len(said) < left and batch.views()["stock"][0] and not batch.done.all():
            if batch.turn[0] == seat and int(batch.legal()[0]).bit_count() > 1:
                views, _ = canonical_views(batch.views(), lessons._config.ranks)
                said.append(float(value.logits(observe(views, deals.rules))[0, 0]))
            batch.step(bots[int(batch.turn[0])].act(batch.views(), None))
        if len(said) < left:  # the endgame
            players = [ExactEndgame(bot) for bot in bots]
            while not batch.done.all():
                batch.step(players[int(batch.turn[0])].act(batch.views(), None))
            said += [float(batch.returns("margin")[0, seat])] * (left - len(said))
        worth[action] = sum(said) / left
    return worth


@pytest.mark.parametrize("lookahead", [1, 2, 5])
@pytest.mark.parametrize(("rules", "ranks"), [("classic", "live"), ("small", "named"), ("draft", "live")])
def test_a_value_stands_for_the_rest_of_a_rollout(rules, ranks, lookahead):
    student, heuristic, layers = some_student(rules, ranks), make_agent("heuristic"), some_value(rules)
    settings = config(
        rules=rules,
        ranks=ranks,
        rows=24,
        steps=7,
        opponents={"self": 0.5, "heuristic": 0.5},
        playout_hidden=24,
        value_hidden=24,
        lookahead=lookahead,
    )
    lessons = Lessons(settings, {"heuristic": lambda _: heuristic})
    lessons.collect(lambda cells: torch.zeros((len(cells), lessons.batch.num_actions)))
    lessons.play_on(PlayoutNetwork.of(student.checkpoint.layers), PlayoutNetwork.of(layers))
    lessons._look(0)
    chosen = student.act(lessons.batch.views(), None)
    for row in range(24):
        seat = int(lessons.batch.turn[row])
        bots: list[Agent] = [student, student]
        if row >= 12:
            bots[1 - seat] = heuristic
        expected = by_looking_ahead(lessons, row, bots, Network(layers), lookahead)
        if len(expected) == 1:
            continue
        stand_for = lowest_of_its_run(lessons, row)
        for action in expected:
            assert lessons._worth_by_name[row, action] == pytest.approx(expected[stand_for[action]], abs=1e-4)
        assert lessons.outcomes[0, row] == by_playing_on(lessons, row, bots)[int(chosen[row])]


def test_the_student_comes_to_say_what_the_learner_says():
    settings = config(
        rows=64, learning_rate=1e-2, learning_rate_end=1e-2, batch_size=64, hidden=[64], playout_hidden=64
    )
    teacher = Teacher(settings, torch.ones(20), 20, 5, Processes())
    cells = torch.randint(0, 2, (64, 20), generator=torch.Generator().manual_seed(0)).to(torch.int8)
    masks, worth = torch.ones((64, 5), dtype=torch.bool), torch.randn((64, 5))
    for _ in range(200):
        teacher.update(cells, masks, worth, torch.zeros(64), 0.0)
    said = teacher.policy(cells) / LOGITS_A_TRICK
    assert teacher.student is not None
    with torch.no_grad():
        repeated = teacher.student.policy.network(cells) * TRICKS_AN_OUTPUT
    said, repeated = (outputs - outputs.mean(1, keepdim=True) for outputs in (said, repeated))
    assert ((said - repeated) ** 2).mean() < 0.1 * (said**2).mean()


def test_the_student_comes_to_know_where_rollouts_end():
    settings = config(
        rows=64, learning_rate=1e-2, learning_rate_end=1e-2, batch_size=64, playout_hidden=8, value_hidden=64
    )
    teacher = Teacher(settings, torch.ones(20), 20, 5, Processes())
    generator = torch.Generator().manual_seed(0)
    cells = torch.randint(0, 2, (64, 20), generator=generator).to(torch.int8)
    outcomes = 3 * torch.randn(64, generator=generator)
    lessons = cells, torch.ones((64, 5), dtype=torch.bool), torch.zeros((64, 5)), outcomes
    metrics = [teacher.update(*lessons, 0.0) for _ in range(300)]
    assert metrics[0]["losses/value_explained_variance"] < 0.2
    assert metrics[-1]["losses/value_explained_variance"] > 0.95
    assert teacher.student is not None
    _, value = teacher.student.for_rollouts()
    assert value is not None
    sums = cells.numpy() @ value.weight + value.bias
    said = np.maximum(sums, 0) @ value.last_weight[0] + value.last_bias[0]
    assert ((said - outcomes.numpy()) ** 2).mean() < 0.05 * outcomes.var()


def test_it_plays_on_with_the_average_of_its_weights():
    small = SmallNetwork("small", config(), Perceptron(torch.ones(3), [4], 2, 1.0), Processes())
    cells = torch.eye(3)
    passed = []
    for _ in range(40):
        small.step(((small.network(cells) - 1) ** 2).mean(), 3, 0.1)
        passed.append(small.network.raw_layers()[0][0])
    average = small.layers()[0][0]
    lowest, highest = np.min(passed, axis=0), np.max(passed, axis=0)
    assert ((lowest <= average + 1e-6) & (average <= highest + 1e-6)).all()  # its first weights are forgotten
    expected = passed[0]
    for steps, weight in enumerate(passed, 1):
        expected = expected + (weight - expected) * (1 - steps / (steps + 10))
    assert np.abs(average - expected).max() < 0.2 * np.abs(average - passed[-1]).max()
    again = SmallNetwork("small", config(), Perceptron(torch.ones(3), [4], 2, 1.0), Processes())
    again.load_state(small.state())
    for network in (small, again):
        network.step(((network.network(cells) - 1) ** 2).mean(), 3, 0.1)
    assert all(np.array_equal(ours, theirs) for ours, theirs in zip(small.layers()[0], again.layers()[0], strict=True))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"value_hidden": 8}, "value_hidden: a student's value needs a student: set playout_hidden"),
        ({"lookahead": 0}, "lookahead: 0 is not allowed: a number from 1"),
        ({"epochs": 0}, "epochs: 0 is not allowed: a number from 1"),
    ],
)
def test_what_no_student_can_do_is_refused(settings, said):
    with pytest.raises(ValueError, match=f"^{said}"):
        config(**settings)

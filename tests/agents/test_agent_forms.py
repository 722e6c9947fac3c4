"""An agent may be ``act(decisions)`` or ``act(observations, action_masks)``; its positional parameters are counted."""

from __future__ import annotations

import functools
from types import SimpleNamespace
from typing import Any
from unittest import mock

import gymnasium
import numba
import numpy as np
import pytest
import torch

import german_whist as gw
from german_whist.agents.forms import FORMS, as_agent
from tests.players import LowestByMask


@pytest.mark.parametrize("rules", ["classic", "draft", "humbug"])
def test_function_of_observations_gets_arrays(rules: str) -> None:
    batch, bot = gw.DealBatch(rules, size=20, seed=3), LowestByMask()
    actions = as_agent(bot, gw.rules(rules)).act(batch.decisions())
    ((observations, masks),) = bot.seen
    assert np.array_equal(observations, batch.observe())
    assert observations.dtype == np.int8
    assert np.array_equal(masks, batch.action_mask() == 1)
    assert masks.dtype == np.bool_
    assert np.array_equal(actions, batch.action_mask().argmax(axis=1))


def test_observations_form_everywhere() -> None:
    game = gymnasium.make("german_whist:GermanWhist-v0", opponent=LowestByMask(), rules="draft")
    _, info = game.reset(seed=1)
    over = False
    while not over:
        _, _, over, _, info = game.step(int(info["action_mask"].argmax()))
    assert gw.play_match(gw.with_exact_endgame(LowestByMask()), "random", deals=5).deals == 5


# Which form it is.


def by_decisions(decisions: Any) -> Any:
    return decisions.action_masks.argmax(axis=1)


def by_masks(observations: Any, action_masks: Any) -> Any:
    return action_masks.argmax(axis=1)


def with_wraps(function: Any) -> Any:
    @functools.wraps(function)
    def wrapped(*arguments: Any) -> Any:
        return function(*arguments)

    return wrapped


def without_wraps(function: Any) -> Any:
    def wrapped(*arguments: Any) -> Any:
        return function(*arguments)

    return wrapped


class Methods:
    def method(self, decisions: Any) -> Any:
        return by_decisions(decisions)

    @staticmethod
    def static(x: Any, y: Any) -> Any:
        return y.argmax(axis=1)

    @classmethod
    def of_class(cls, what: Any) -> Any:
        return by_decisions(what)

    @torch.no_grad()
    def without_gradients(self, observations: Any, action_masks: Any) -> Any:
        return torch.from_numpy(action_masks).int().argmax(1).numpy()

    def __call__(self, observations: Any, action_masks: Any, /) -> Any:
        return by_masks(observations, action_masks)


def with_defaults(decisions: Any, rng: Any = None, *, depth: int = 2, **settings: Any) -> Any:
    return by_decisions(decisions)


ACCEPTED: dict[str, Any] = {
    "function": by_decisions,
    "method": Methods().method,
    "static method": Methods.static,
    "class method": Methods.of_class,
    "callable object": Methods(),
    "defaults": with_defaults,
    "observations and defaults": lambda obs, masks, deterministic=True: masks.argmax(axis=1),
    "partial": functools.partial(lambda depth, decisions: by_decisions(decisions), 3),
    "partial by keyword": functools.partial(lambda observations, masks, depth: masks.argmax(axis=1), depth=3),
    "functools.wraps": with_wraps(by_masks),
    "no_grad": Methods().without_gradients,
    "mock of a form": mock.create_autospec(by_decisions, side_effect=by_decisions),
    "numba": numba.njit(lambda observations, masks: np.array([row.argmax() for row in masks])),
}


@pytest.mark.parametrize("act", ACCEPTED.values(), ids=ACCEPTED)
def test_form_of_act_is_accepted(act: Any) -> None:
    decisions = gw.DealBatch("draft", size=6, seed=3).decisions()
    assert np.array_equal(as_agent(SimpleNamespace(act=act)).act(decisions), by_decisions(decisions))


class Module(torch.nn.Module):
    def forward(self, observations: torch.Tensor, action_masks: torch.Tensor) -> torch.Tensor:
        return action_masks


REFUSED: dict[str, Any] = {
    "nothing": lambda: 0,
    "three": lambda observations, action_masks, depth: 0,
    "the form without decisions": lambda views, rng: 0,
    "views alone": lambda views, rng=None: 0,
    "decisions and numbers": lambda decisions, rng: 0,
    "masks first": lambda action_masks, observations: 0,
    "mask first": lambda mask, obs: 0,
    "one observation": lambda obs, action_masks=None: 0,
    "observations alone": lambda observations: 0,
    "any number": lambda *arguments: 0,
    "decorator without functools.wraps": without_wraps(by_decisions),
    "keyword-only": functools.partial(lambda decisions, *, depth: 0),
    "partial whose first is given": functools.partial(lambda observations, action_masks: 0, observations=None),
    "mock": mock.Mock(),
    "torch module": Module(),
}


@pytest.mark.parametrize("act", REFUSED.values(), ids=REFUSED)
def test_other_form_of_act_is_refused(act: Any) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - checked below
        as_agent(SimpleNamespace(act=act))
    assert FORMS in str(caught.value)


@pytest.mark.filterwarnings("ignore:.*torch.jit")
def test_scripted_module_is_refused() -> None:
    with pytest.raises(ValueError, match="act"):
        as_agent(SimpleNamespace(act=torch.jit.script(Module())))


def test_function_without_a_signature_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot be counted"):
        as_agent(SimpleNamespace(act=max))


def test_object_with_predict_alone_is_refused() -> None:
    class Model:
        def predict(self, observations: Any, action_masks: Any, deterministic: bool) -> Any: ...

    with pytest.raises(ValueError, match="'Model' with predict alone"):
        gw.play_match(Model(), "random", deals=1)  # type: ignore[arg-type]


# What else the object says.


def test_agent_by_observations_has_the_name_of_its_class() -> None:
    class Low(gw.Agent):
        canonical = True

        def act(self, decisions: Any) -> Any:
            return decisions.action_masks.argmax(1)

    class High(gw.Agent):
        def act(self, observations: Any, action_masks: Any) -> Any:  # type: ignore[override]
            return action_masks.shape[1] - 1 - action_masks[:, ::-1].argmax(1)

    assert set(gw.play_tournament([Low(), High()], deals=2).agents) == {"Low", "High"}


def test_agent_names_its_rules() -> None:
    class Small(LowestByMask):
        rules = "small"

    assert as_agent(Small()).rules == gw.rules("small")
    assert gw.play_match(Small(), "random", deals=2, rules="small").deals == 2
    with pytest.raises(ValueError, match=r"small.*classic"):
        gw.play_match(Small(), "random", deals=2)


def test_agent_by_observations_tells_its_policy() -> None:
    class Uniform(gw.Agent):
        evaluates = frozenset({"policy"})

        def act(self, observations: Any, action_masks: Any) -> Any:  # type: ignore[override]
            return by_masks(observations, action_masks)

        def evaluate(self, decisions: gw.Decisions, *fields: Any) -> Any:
            masks = decisions.action_masks
            return gw.Agent.evaluate(self, decisions)._replace(policy=masks / masks.sum(axis=1, keepdims=True))

    rules = "tiny:ranks=3,stock=2"
    ours, random = (gw.exploitability(agent, rules) for agent in (Uniform(), "random"))
    assert ours.nash_conv == pytest.approx(random.nash_conv)


class Canonical(LowestByMask):
    canonical = True


@pytest.mark.parametrize("rules", ["classic", "draft"])
def test_canonical_agent_sees_canonical_suits(rules: str) -> None:
    decisions, bot = gw.DealBatch(rules, size=200, seed=4).decisions(), Canonical()
    actions = as_agent(bot).act(decisions)
    canonical, relabeling = gw.canonical_views(decisions.views)
    (seen,) = bot.seen
    assert np.array_equal(seen[0], gw.observe(canonical, rules))
    assert np.array_equal(seen[1], gw.action_mask(canonical, rules))
    assert np.array_equal(actions, gw.decode_actions(seen[1].argmax(axis=1), relabeling))
    assert decisions.action_masks[np.arange(200), actions].all()


@pytest.mark.parametrize(
    ("change", "got"),
    [
        (lambda actions: actions.astype(float), "float64"),
        (lambda actions: actions + 60, r"action \d+ in deal"),
        (len, r"int64\[\]"),
    ],
)
def test_canonical_answer_is_checked_before_it_is_decoded(change: Any, got: str) -> None:
    class Wrong(Canonical):
        def act(self, observations: Any, action_masks: Any) -> Any:
            return change(super().act(observations, action_masks))

    with pytest.raises(ValueError, match=got):
        gw.play_match(Wrong(), "random", deals=2)

"""``examples/``: the light ones run with small settings, and the table of versions is pinned."""

from __future__ import annotations

import importlib.util
import re
import shlex
import sys
import tomllib
from typing import Any

import numpy as np
import pytest

from german_whist.simulator.batch import DealBatch
from tests.docs.examples import ROOT

EXAMPLES = ROOT / "examples"
TABLES = tomllib.loads((EXAMPLES / "versions.toml").read_text(encoding="utf-8"))


def load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"tests.example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("cleanrl_ppo", {"decisions": 8192, "n": 64, "horizon": 32}),
        ("self_play_pool", {"decisions": 8320, "size": 32}),
        ("policy_iteration", {"decisions": 2 * 26 * 16, "size": 16}),
        ("pettingzoo_loop", {"updates": 4, "deals_per_update": 16}),
        ("sb3_maskable_ppo", {"decisions": 4096}),
        ("fine_tune", {"decisions": 1_000, "num_envs": 64}),
        ("clone_champion", {"decisions": 3000, "epochs": 1}),
        ("external_program", {}),
        ("openspiel_mccfr", {"iterations": 20, "RULES": "six_cards:ranks=2,hand=1,stock=2"}),
        ("openspiel_bot", {"simulations": 2, "opponents": ("random",)}),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_example_trains_and_plays(name: str, settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip({"sb3": "sb3_contrib", "openspiel": "pyspiel"}.get(name.split("_", maxsplit=1)[0], "torch"))
    example = load(name)
    for constant in [setting for setting in settings if setting.isupper()]:
        monkeypatch.setattr(example, constant, settings[constant])
    result = example.main(deals=3, **{key: value for key, value in settings.items() if not key.isupper()})
    rival = {"policy_iteration": "heuristic"}.get(name, "random")
    assert (result.wins + result.draws + result.losses, result.second) == (6, rival)


def test_policy_iteration_values_every_legal_card() -> None:
    pytest.importorskip("torch")
    training = load("policy_iteration").Training(size=64)
    batch = training.batch
    for _ in range(25):  # the next card, the second to the last trick of the foreplay, decides what the deal is worth
        batch.step(batch.action_mask().argmax(axis=1))
    decisions = batch.decisions().canonical("live")
    values = training.try_cards(decisions).numpy()
    rows, cards = decisions.action_masks.nonzero()
    deals = DealBatch(size=len(rows), endgame="exact")
    deals.set_state(batch.get_state(rows))
    seats = deals.turn.copy()
    deals.step(decisions[rows].decode(cards))
    margins = deals.returns("margin")[range(len(rows)), seats]
    assert len(rows) > 2 * batch.size  # there were choices
    assert values[rows, cards] == pytest.approx(np.tanh(margins / 5))
    assert not values[~decisions.action_masks].any()


@pytest.mark.parametrize("code", ["pass", "input()"])  # ends before it is asked, and after it
def test_external_program_that_has_ended(code: str) -> None:
    program = load("external_program").Program(shlex.join([sys.executable, "-c", code]))
    decisions = DealBatch("tiny", 1).decisions()
    with pytest.raises(RuntimeError, match="has ended"):
        program.act(decisions)
    program.process.wait()
    with pytest.raises(RuntimeError, match="has ended"):
        program.act(decisions)


@pytest.mark.parametrize("name", TABLES)
def test_pinned_versions_are_complete(name: str) -> None:
    table = TABLES[name]
    assert all((EXAMPLES / file).exists() for file in table["run"])
    constraints = load("run_all").constraints(table)
    for line in [*table["install"], *table.get("instead", [])]:
        if "==" in line:
            package, version = re.sub(r"\[.*\]", "", line).split("==")
            assert f"{package}=={version}\n" in constraints

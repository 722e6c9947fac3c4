"""The benchmark: its protocol stays as it is, and its ratings are those that explain the results."""

from __future__ import annotations

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import german_whist as gw
from german_whist.agents.pretrained import weights_folder
from german_whist.evaluation import benchmark as bench
from german_whist.evaluation.benchmark import LADDER, PROTOCOL, SEED, Rung, benchmark, rate
from german_whist.evaluation.tournament.ratings import rating_against

PINNED = ("gw-bench-v1", "799c390701ba06df", ["8b3b26820e96a405", "2b2fcd4409dd2999"])


@pytest.fixture
def short_ladder(monkeypatch: pytest.MonkeyPatch) -> None:
    rungs = (Rung("random", 6, 500.0), Rung("greedy", 10, 800.0))
    monkeypatch.setattr(bench, "LADDER", rungs)


def test_protocol_is_pinned() -> None:
    """If this fails, results are no longer comparable: raise the version of the protocol, and measure its ladder."""
    deals = gw.DealBatch("classic", 1000, SEED)
    hands = hashlib.sha256(deals.views()["hand"].tobytes()).hexdigest()
    files = [(weights_folder() / f"{name}.safetensors").read_bytes() for name in ("small", "champion")]
    networks = [hashlib.sha256(file).hexdigest()[:16] for file in files]
    assert (PROTOCOL, hands[:16], networks) == PINNED
    assert [(rung.agent, rung.deals) for rung in LADDER] == [
        *(("random", 100), ("greedy", 200), ("heuristic", 400), ("heuristic+exact", 800)),
        *(("mc:worlds=60", 100), ("small", 800), ("champion", 800)),
    ]


@given(st.floats(-500, 2500), st.lists(st.floats(0, 2000), min_size=1, max_size=7))
def test_rating_of_expected_results(rating: float, elos: list[float]) -> None:
    games = np.full(len(elos), 1000.0)
    wins = games / (1 + 10 ** ((np.array(elos) - rating) / 400))
    assert rating_against(wins, games, elos, virtual_draws=0) == pytest.approx(rating, abs=1e-3)


COVERAGE = [(60, 0.88, 1.0), pytest.param(400, 0.92, 0.98, marks=pytest.mark.nightly)]


@pytest.mark.parametrize(("repeats", "lowest", "highest"), COVERAGE)
def test_rating_interval_covers_95_percent(repeats: int, lowest: float, highest: float) -> None:
    rng, elos, rating, covered = np.random.default_rng(1), np.array([600.0, 1000.0, 1300.0]), 1100.0, []
    chances = 1 / (1 + 10 ** ((elos - rating) / 400))
    for _ in range(repeats):
        low, high = rate([rng.binomial(2, chance, 200).astype(float) for chance in chances], elos.tolist())[1]
        covered.append(low <= rating <= high)
    assert lowest <= np.mean(covered) <= highest


@pytest.mark.usefixtures("short_ladder")
def test_benchmark_result_is_that_of_its_matches() -> None:
    result = benchmark("heuristic")
    for match, (agent, deals) in zip(result.matches, (("random", 6), ("greedy", 10)), strict=True):
        assert match == gw.play_match("heuristic", agent, deals=deals, seed=SEED)
    low, high = result.interval
    assert low <= result.rating <= high
    found = json.loads(json.dumps(result.to_dict()))
    assert (found["protocol"], found["agent"], found["rating"]) == (PROTOCOL, "heuristic", result.rating)
    assert [one["elo"] for one in found["matches"]] == [500.0, 800.0]
    assert f"{PROTOCOL} rating of heuristic: {result.rating:.0f}, 95 % interval" in str(result)
    assert "<table>" in result._repr_html_()
    with ThreadPoolExecutor(2) as executor:
        assert benchmark("heuristic", executor=executor).to_dict() == result.to_dict()

"""Matches on a Ray cluster of two nodes on this machine. ``pytest -m nightly tests/evaluation/test_ray.py`` runs it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from german_whist.evaluation.executors import RayExecutor
from german_whist.evaluation.match import play_match

pytestmark = pytest.mark.nightly
MATCH = {"deals": 40, "seed": 4, "rules": "small"}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of a cluster of two nodes."""
    pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    cluster.add_node(num_cpus=1)
    yield cluster.address
    cluster.shutdown()


def test_cluster_plays_same_match(address: str) -> None:
    with RayExecutor(address) as executor:
        spread = play_match("heuristic", "greedy", **MATCH, executor=executor)
    here = play_match("heuristic", "greedy", **MATCH)
    assert spread == here
    assert np.array_equal(spread.margins, here.margins)

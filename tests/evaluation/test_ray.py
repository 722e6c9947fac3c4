"""Matches on a Ray cluster of two nodes on this machine. ``pytest -m nightly tests/evaluation/test_ray.py`` runs it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from german_whist.evaluation.executors import RayExecutor
from german_whist.evaluation.match import play_match

pytestmark = pytest.mark.nightly
MATCH = {"deals": 40, "seed": 4, "rules": "small"}


class DiesOnce:
    """Plays the lowest legal card; the first process that plays it ends without a word."""

    name = "dies once"

    def __init__(self, flag: Path) -> None:
        self.flag, self.home = flag, os.getpid()

    def act(self, views: np.ndarray, rng: Any) -> np.ndarray:
        if os.getpid() != self.home:
            try:
                self.flag.touch(exist_ok=False)
                os._exit(1)
            except FileExistsError:
                pass
        return np.array([(mask & -mask).bit_length() - 1 for mask in views["legal"].tolist()])


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of a cluster of two nodes."""
    ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    cluster.add_node(num_cpus=1)
    yield cluster.address
    cluster.shutdown()


def test_cluster_plays_same_match(address: str, tmp_path: Path) -> None:
    agent = DiesOnce(tmp_path / "died")
    with RayExecutor(address) as executor:
        spread = play_match(agent, "greedy", **MATCH, executor=executor)
    assert agent.flag.exists()
    here = play_match(agent, "greedy", **MATCH)
    assert spread == here
    assert np.array_equal(spread.margins, here.margins)

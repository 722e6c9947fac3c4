"""The host does little in an update of recipe ``gpu``. The counts do not depend on the number of deals."""

from __future__ import annotations

from pathlib import Path

from german_whist.training.policy_iteration.trainer import PolicyIteration
from german_whist.training.processes import Processes
from german_whist.training.recipes import load_config
from german_whist.training.run.directory import RunDirectory
from tools.gpu import HostWork

BATCH = 128


def test_host_work_of_an_update(tmp_path: Path) -> None:
    config = load_config("gpu").replace(device="cpu", num_envs=24, num_steps=26, batch_size=BATCH, threads=1)
    run = RunDirectory(tmp_path)
    run.begin(config)
    state = PolicyIteration(config, run, Processes())
    state.begin()
    state.save()
    with HostWork() as collecting:
        batch, _ = state.collect()
    assert 26 < collecting.waits <= 200
    assert 26 < collecting.operations.total() <= 5000, collecting.operations.most_common(9)
    assert 6 < collecting.arguments <= 13
    with HostWork() as learning:
        state.networks.update(batch, 0.0)
    steps = (config.epochs + 1) * (len(batch.features) // BATCH)
    assert 0 < learning.operations.total() <= 300 * steps, learning.operations.most_common(9)

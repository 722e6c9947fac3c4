"""A few kills of each trainer; ``make kill-test`` has more."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from german_whist.training.run.directory import RunDirectory
from tests.kills.__main__ import attack
from tests.kills.runs import TRAINERS, differences
from tests.training.policy_iteration_runs import train_small


def test_a_row_that_is_there_twice_or_is_another_is_a_difference(tmp_path: Path) -> None:
    run = train_small(tmp_path / "run", decisions=256, final_deals=4).run
    assert differences(run, run) == []
    for name in ("metrics.csv", "evaluations.csv"):
        shutil.copytree(run.path, tmp_path / name)
        other = RunDirectory(tmp_path / name)
        path = other.path / name
        header, *rows = path.read_text().splitlines()
        for changed in ([*rows, rows[-1]], rows[:-1], [*rows[:-1], rows[-1].replace(rows[-1].split(",")[0], "7", 1)]):
            path.write_text("\n".join([header, *changed]) + "\n")
            assert len(differences(other, run)) == 1
            assert differences(other, run)[0].startswith(name.removesuffix("csv").replace(".", ":"))


@pytest.mark.nightly
@pytest.mark.parametrize("trainer", TRAINERS)
def test_a_killed_run_ends_as_if_it_had_not_been(trainer: str, tmp_path: Path) -> None:
    ended, wrong = attack(trainer, 5, 1, tmp_path)
    assert ended
    assert not wrong

"""A few kills of each trainer and of the server; ``make kill-test`` has more."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from german_whist.training.run.directory import RunDirectory
from german_whist.web.app import make_app
from german_whist.web.service import ServeOptions
from tests.kills.__main__ import attack, attack_server
from tests.kills.runs import TRAINERS, differences
from tests.kills.served import problems
from tests.training.policy_iteration_runs import train_small
from tests.web.conftest import BASE, TOKEN, Table


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


def test_a_session_that_is_behind_and_a_deal_that_is_not_counted_are_problems(tmp_path: Path) -> None:
    with TestClient(make_app(ServeOptions(rules="tiny", agent="greedy"), tmp_path, TOKEN), base_url=BASE) as client:
        table = Table(client, client.post("api/sessions", json={"match": "first_to:1", "seed": 1}).json())
        while not table.play()["match"]["winner"]:
            table.post("next")
        told = {table.session["id"]: table.session}
        assert problems(client, told) == []
        told[table.session["id"]] = {**table.session, "version": table.session["version"] + 1}
        assert len(problems(client, told)) == 1
        client.delete("api/statistics")
        assert len(problems(client, told)) == 2  # the deals, and the match
        client.delete(table.address)
        assert "status 404" in problems(client, told)[0]


@pytest.mark.nightly
def test_a_killed_server_has_counted_every_deal_once(tmp_path: Path) -> None:
    over, wrong = attack_server(5, 1, tmp_path)
    assert over
    assert not wrong


@pytest.mark.nightly
@pytest.mark.parametrize("trainer", TRAINERS)
def test_a_killed_run_ends_as_if_it_had_not_been(trainer: str, tmp_path: Path) -> None:
    ended, wrong = attack(trainer, 5, 1, tmp_path)
    assert ended
    assert not wrong

"""``tools.speed``: what a learner asks first, a batch with a network in the loop, is measured beside random play."""

from __future__ import annotations

import sys

import pytest

from tools import speed


@pytest.mark.parametrize(
    ("name", "decisions"),
    [("batch", 16 * 52), ("champion", 16 * 26), ("torch_network", 16 * 26)],  # the last two without endgames
)
def test_decisions_of_whole_deals(name: str, decisions: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if name == "torch_network":
        pytest.importorskip("torch")
    monkeypatch.setattr(speed, "SIZE", 16)
    assert speed.SUBJECTS[name]()() == decisions


def test_decisions_that_ppo_learns_from() -> None:
    pytest.importorskip("torch")
    assert 1024 * 13 <= speed.SUBJECTS["ppo"]()() <= 1024 * 26  # an update plays 1,024 deals, some with a past self


def test_choosers_stand_beside_random_play(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(speed, "SIZE", 16)
    monkeypatch.setattr(speed, "ROUNDS", 1)
    monkeypatch.setattr(sys, "argv", ["speed", "batch", "champion", "--seconds", "0"])
    speed.main()
    assert "| champion |" in (printed := capsys.readouterr().out)
    assert "batch is" in printed

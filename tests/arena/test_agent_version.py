"""Versions of agents: what a result that is kept depends on."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from german_whist.arena import agent_version as versions


@pytest.mark.parametrize("name", ["weights.safetensors", "run+exact+2.safetensors"])
def test_the_version_of_an_agent_follows_its_checkpoint(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_bytes(b"one")
    spec = f"checkpoint:{file},temperature=1+exact"
    before = versions.agent_version(spec)
    assert before == versions.agent_version(spec) != versions.agent_version("heuristic")
    file.write_bytes(b"two")
    assert versions.agent_version(spec) != before
    file.unlink()
    with pytest.raises(ValueError, match="cannot be read"):
        versions.agent_version(spec)


def test_a_network_that_ships_with_the_package_is_no_file_of_its_own() -> None:
    assert versions.agent_version("checkpoint:small,temperature=1") == versions.agent_version("small")


@pytest.mark.parametrize("command", ["python3 {}", "time=2,python3 -u '{}' 3+exact", "bot --weights={}", "{}"])
def test_the_version_of_a_bot_follows_the_files_that_its_command_names(tmp_path: Path, command: str) -> None:
    bot = tmp_path / "my bot.py"
    bot.write_text("one")
    spec = f"process:{command.format(bot if chr(39) in command else shlex.quote(str(bot)))}"
    before = versions.agent_version(spec)
    assert before == versions.agent_version(spec)
    bot.write_text("two")
    assert versions.agent_version(spec) != before


def test_words_of_a_bot_that_are_no_files_do_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")  # reading it would wait
    assert versions.agent_version("process:bot folder pipe") == versions.agent_version("process:bot")


def test_the_version_follows_the_arena_too(monkeypatch: pytest.MonkeyPatch) -> None:
    before = versions.agent_version("greedy")
    monkeypatch.setattr(versions, "_PACKAGES", [name for name in versions._PACKAGES if name != "arena"])
    versions._package_digest.cache_clear()
    without = versions.agent_version("greedy")
    versions._package_digest.cache_clear()
    assert without != before

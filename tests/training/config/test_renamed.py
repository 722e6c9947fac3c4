"""Names of earlier versions are refused with the name that each has now."""

from __future__ import annotations

from pathlib import Path

import pytest

from german_whist.training.config import renamed
from german_whist.training.config.load import config_fields, load_config
from german_whist.training.run.directory import RunDirectory


def refusal(source: str | Path, overrides: dict[str, str] | None = None) -> str:
    with pytest.raises(ValueError, match=r"^[^\n]+$") as caught:
        load_config(source, overrides)
    return str(caught.value)


def test_no_name_is_both_old_and_new() -> None:
    assert set(renamed.KEYS.values()) <= set(config_fields())
    assert not set(renamed.KEYS) & set(config_fields())
    assert set(renamed.VALUES) <= set(config_fields())


@pytest.mark.parametrize(("old", "new"), renamed.KEYS.items())
@pytest.mark.parametrize("trainer", ["sb3", "ppo", "policy_iteration"])
def test_an_old_key_is_refused_with_its_new_name(tmp_path: Path, trainer: str, old: str, new: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(f"trainer: {trainer}\n{old}: 8\n")
    assert refusal(path) == f"{path}: unknown key {old!r}: it is now called {new}"
    assert refusal("ppo", {old: "8"}) == f"command line: unknown key {old!r}: it is now called {new}"


@pytest.mark.parametrize(
    ("key", "old", "new"), [(key, old, new) for key, values in renamed.VALUES.items() for old, new in values.items()]
)
def test_an_old_value_is_refused_with_its_new_name(tmp_path: Path, key: str, old: str, new: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(f"{'' if key == 'trainer' else 'trainer: ppo'}\n{key}: {old}\n")
    assert refusal(path) == f"{path}: unknown {key} {old!r}: it is now called {new}"
    assert refusal("ppo", {key: old}) == f"command line: unknown {key} {old!r}: it is now called {new}"


def test_an_old_recipe_is_refused_with_its_new_name() -> None:
    assert refusal("selfplay") == "unknown configuration 'selfplay': it is now called ppo"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("trainer: teacher\nrows: 8\n", "unknown trainer 'teacher': it is now called policy_iteration"),
        ("trainer: sb3\nrules: tiny\nrows: 8\n", "unknown key 'rows': it is now called num_envs"),
    ],
)
def test_a_run_of_an_earlier_version_is_not_resumed(tmp_path: Path, text: str, expected: str) -> None:
    (tmp_path / "config.yaml").write_text(text)
    (tmp_path / "resume.safetensors").touch()
    with pytest.raises(ValueError, match=rf"^{tmp_path}/config.yaml: {expected}$"):
        RunDirectory.open(tmp_path)

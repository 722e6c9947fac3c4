"""Files are written whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from german_whist.agents.policy.checkpoint import load_checkpoint
from german_whist.envs.utils.files import write_atomically
from tests.agents.networks import some_network


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "net.safetensors"
    some_network().save(path)
    return path


@pytest.mark.parametrize("trouble", [OSError("no space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("where", ["writing", "renaming"])
def test_when_writing_fails_the_old_file_stays_and_nothing_else(
    path: Path, monkeypatch: pytest.MonkeyPatch, trouble: BaseException, where: str
) -> None:
    before = path.read_bytes()

    def write_half(self: Path, content: bytes) -> int:
        with self.open("wb") as file:
            file.write(content[: len(content) // 2])
        raise trouble

    def refuse(*names: object) -> None:
        raise trouble

    if where == "writing":
        monkeypatch.setattr(Path, "write_bytes", write_half)
    else:
        monkeypatch.setattr("os.replace", refuse)
    with pytest.raises(type(trouble)):
        some_network(seed=1).save(path)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["net.safetensors"]


def test_a_failed_write_raises_the_os_error_with_the_target_path(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for path, reason in (("gone/net.safetensors", "No such file or directory"), ("folder", "Is a directory")):
        with pytest.raises(OSError, match=rf"{reason}: '{tmp_path / path}'$"):
            some_network().save(tmp_path / path)


def test_any_file_is_written_whole(tmp_path: Path) -> None:
    write_atomically(tmp_path / "note.txt", b"one")
    write_atomically(str(tmp_path / "note.txt"), b"two")
    assert (tmp_path / "note.txt").read_bytes() == b"two"
    assert len(list(tmp_path.iterdir())) == 1


def test_the_same_network_gives_the_same_bytes(tmp_path: Path) -> None:
    """The order of the texts in the header must not change from file to file."""
    files = [tmp_path / f"{number}.safetensors" for number in range(8)]
    for file in files:
        some_network().save(file)
    assert len({file.read_bytes() for file in files}) == 1
    assert load_checkpoint(files[0]).training == some_network().training

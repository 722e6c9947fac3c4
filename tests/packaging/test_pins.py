"""Every pin installs on the first release of every Python that the package names, and every extra is pinned."""

from __future__ import annotations

from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.packaging.pins import OF_TORCH, PROJECT, PYTHONS, read, refusals


def test_every_pin_installs_on_the_first_release_of_every_python_that_is_named() -> None:
    assert refusals(read()) == []


def test_no_library_is_pinned_whose_version_torch_names() -> None:
    assert [pin.name for pin in read() if OF_TORCH.match(pin.name)] == []


def test_a_pin_that_the_first_release_of_a_python_refuses_is_found(tmp_path: Path) -> None:
    path = tmp_path / "constraints.txt"
    lines = [
        "# words",
        "a==1  # python >=3.11.5",
        'b==2; python_version < "3.13"  # python <3.13',
        "c==3  # python <3.13",
    ]
    path.write_text("\n".join([*lines, "d==4  # python"]) + "\n", encoding="utf-8")
    found = refusals(read(path))
    assert found[0] == "a==1 needs Python >=3.11.5, and 3.11.0 is supported"
    assert [line.split()[0] for line in found[1:]] == ["c==3" for python in PYTHONS if python >= "3.13"]


def test_every_dependency_of_every_extra_is_pinned_within_its_bounds() -> None:
    pins = {(pin.name, python): pin.version for pin in read() for python in PYTHONS if pin.applies(python)}
    extras = PROJECT["optional-dependencies"].values()
    for line in [*PROJECT["dependencies"], *(line for extra in extras for line in extra)]:
        wanted = Requirement(line)
        if wanted.name != PROJECT["name"]:
            for python in PYTHONS:
                assert wanted.specifier.contains(pins[canonicalize_name(wanted.name), python], prereleases=True), line

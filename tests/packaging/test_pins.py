"""Every pin installs on the first release of every Python that the package names, and every extra is pinned."""

from __future__ import annotations

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.packaging.pins import OF_TORCH, PROJECT, PYTHONS, read, refusals


def test_pins_install_on_every_python() -> None:
    assert refusals(read()) == []


def test_pins_are_complete() -> None:
    pins = {(pin.name, python): pin.version for pin in read() for python in PYTHONS if pin.applies(python)}
    extras = PROJECT["optional-dependencies"].values()
    for line in [*PROJECT["dependencies"], *(line for extra in extras for line in extra)]:
        wanted = Requirement(line)
        if wanted.name != PROJECT["name"] and not OF_TORCH.match(wanted.name):
            for python in PYTHONS:
                assert wanted.specifier.contains(pins[canonicalize_name(wanted.name), python], prereleases=True), line

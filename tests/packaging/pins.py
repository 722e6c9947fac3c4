"""``make pins``: writes ``constraints.txt``, with the versions of Python that each pin accepts.

A pin stays as it is while it fits. Pins of the packages that are named are renewed, ``all`` means all but torch, whose
renewal is gigabytes and is named by itself. Every pin must be installable on the first release of every Python that
``pyproject.toml`` names, on Linux, from a wheel.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
CONSTRAINTS = ROOT / "constraints.txt"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PYTHONS = [found[1] for line in PROJECT["classifiers"] if (found := re.fullmatch(r".* :: (3\.\d+)", line))]

HEAD = """\
# Exact versions that the set-up commands install with (-c constraints.txt), and the Pythons that each accepts;
# pyproject.toml has the wide bounds. `make pins` writes this file.
"""
NO_WHEEL: tuple[str, ...] = ()
OF_TORCH = re.compile("cuda-|nvidia-|triton")  # libraries of its GPU build: each torch names the exact versions


class Pin(NamedTuple):
    """A line of ``constraints.txt``: ``NAME==VERSION; MARKER  # python PYTHONS``."""

    requirement: Requirement
    python: SpecifierSet

    @property
    def name(self) -> str:
        """The name as indexes compare it."""
        return canonicalize_name(self.requirement.name)

    @property
    def version(self) -> str:
        """The exact version."""
        return str(self.requirement.specifier).removeprefix("==")

    def applies(self, python: str) -> bool:
        """Whether the pin counts on a Python such as ``"3.11"``, on Linux."""
        environment = {
            "python_version": python,
            "python_full_version": f"{python}.0",
            "sys_platform": "linux",
            "platform_system": "Linux",
            "platform_machine": "x86_64",
            "platform_python_implementation": "CPython",
            "implementation_name": "cpython",
            "os_name": "posix",
        }
        return self.requirement.marker is None or self.requirement.marker.evaluate(environment)


def read(path: Path = CONSTRAINTS) -> list[Pin]:
    """Return the pins of a file."""
    lines = [line.partition("#") for line in path.read_text(encoding="utf-8").splitlines()]
    return [Pin(Requirement(pin), SpecifierSet(said.strip().removeprefix("python"))) for pin, _, said in lines if pin]


def refusals(pins: list[Pin]) -> list[str]:
    """Return the pins that the first release of a Python cannot install, with their reason."""
    return [
        f"{pin.name}=={pin.version} needs Python {pin.python}, and {python}.0 is supported"
        for pin in pins
        for python in PYTHONS
        if pin.applies(python) and not pin.python.contains(f"{python}.0")
    ]


def resolve(renewed: list[str], path: Path) -> None:
    """Let uv write pins for all extras and all Pythons to a file, which holds those to keep."""
    words = ["-m", "uv", "pip", "compile", "--quiet", "pyproject.toml", "--all-extras", "--no-header"]
    words += ["--universal", "--python-version", PYTHONS[0], "--fork-strategy", "fewest", "--no-annotate"]
    words += [f"--upgrade-package={name}" for name in renewed]
    subprocess.run(
        [sys.executable, *words, "--output-file", str(path)], cwd=ROOT, stdout=subprocess.DEVNULL, check=True
    )


def required_pythons(pins: list[Pin]) -> dict[tuple[str, str], str]:
    """Return the ``Requires-Python`` of each pin's wheel; stop where a Python that is named has no wheel."""
    found: dict[tuple[str, str], str] = {}
    for python in PYTHONS:
        with tempfile.TemporaryDirectory() as folder:
            report, wanted = Path(folder) / "report.json", Path(folder) / "wanted.txt"
            wanted.write_text("".join(f"{pin.name}=={pin.version}\n" for pin in pins if pin.applies(python)))
            words = ["-m", "pip", "install", "--quiet", "--dry-run", "--no-deps", "--ignore-installed"]
            words += ["--python-version", f"{python}.0", "--target", folder, "--report", str(report)]
            words += ["--requirement", str(wanted), "--only-binary=:all:", f"--no-binary={','.join(NO_WHEEL)}"]
            subprocess.run([sys.executable, *words], cwd=ROOT, check=True)
            for one in json.loads(report.read_text(encoding="utf-8"))["install"]:
                data = one["metadata"]
                found[canonicalize_name(data["name"]), data["version"]] = data.get("requires_python", "")
    return found


def main() -> None:
    """Write ``constraints.txt``."""
    parser = argparse.ArgumentParser(prog="python -m tests.packaging.pins", description=__doc__)
    parser.add_argument("renewed", nargs="*", metavar="NAME", help="packages to renew; all: all but torch")
    renewed = parser.parse_args().renewed
    if renewed == ["all"]:
        renewed = [pin.name for pin in read() if pin.name != "torch"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "constraints.txt"
        path.write_text(CONSTRAINTS.read_text(encoding="utf-8"), encoding="utf-8")
        resolve(renewed, path)
        pins = [pin for pin in read(path) if any(map(pin.applies, PYTHONS)) and not OF_TORCH.match(pin.name)]
    pythons = required_pythons(pins)
    pins = [pin._replace(python=SpecifierSet(pythons[pin.name, pin.version])) for pin in pins]
    if refused := refusals(pins):
        raise SystemExit("\n".join(refused))
    lines = []
    for pin in pins:
        everywhere = all(pin.python.contains(f"{python}.0") for python in PYTHONS)
        marker = "" if everywhere else f"; {pin.requirement.marker}"
        lines.append(f"{pin.name}=={pin.version}{marker}  # python {pythons[pin.name, pin.version]}".rstrip() + "\n")
    CONSTRAINTS.write_text(HEAD + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()

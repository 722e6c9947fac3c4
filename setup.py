"""Lists the packages of the wheel: every package in the folders of ``package-dir`` in ``pyproject.toml``."""

import tomllib
from pathlib import Path

from setuptools import find_packages, setup

project = tomllib.loads(Path(__file__).with_name("pyproject.toml").read_text(encoding="utf-8"))
folders = project["tool"]["setuptools"]["package-dir"]

setup(packages=[*folders, *(f"{name}.{inner}" for name in folders for inner in find_packages(folders[name]))])

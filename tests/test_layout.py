"""The layout that ``docs/explanation/design.md`` promises: folders that say what they hold, kernel files by name."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TOP = ("api", "envs", "solver", "agents", "arena", "session", "web", "training", "benchmarks", "configs")
PACKAGES = sorted({path.parent for top in TOP for path in (ROOT / top).rglob("__init__.py")})
MODULES = sorted(path for folder in PACKAGES for path in folder.glob("*.py"))


def name_of(folder: Path) -> str:
    """Return the import name of a package's folder."""
    parts = folder.relative_to(ROOT).parts
    return ".".join(("german_whist", *(parts[1:] if parts[0] == "api" else parts)))


def test_every_package_is_in_the_distribution() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert sorted(project["tool"]["setuptools"]["packages"]) == sorted(map(name_of, PACKAGES))


def test_the_kernel_files_and_no_others_are_exempt_from_type_annotations() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    overrides = [one for one in project["tool"]["mypy"]["overrides"] if "disallow_untyped_defs" in one]
    exempt = [module for one in overrides for module in one["module"]]
    kernel_files = [path for path in MODULES if path.name.endswith("_kernels.py")]
    assert sorted(exempt) == sorted(f"{name_of(path.parent)}.{path.stem}" for path in kernel_files)


@pytest.mark.parametrize("folder", PACKAGES, ids=name_of)
def test_a_folder_says_in_a_line_what_question_it_answers(folder: Path) -> None:
    about = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8")))
    assert about is not None
    assert "?" in about.splitlines()[0] or folder == ROOT / "api"


@pytest.mark.parametrize(
    "path",
    [path for path in MODULES if not path.name.endswith("_kernels.py")],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_kernels_without_types_are_in_kernel_files(path: Path) -> None:
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and "kernel" in map(ast.unparse, node.decorator_list):
            arguments = (*node.args.args, *node.args.kwonlyargs)
            assert all([node.returns, *(argument.annotation for argument in arguments)]), node.name

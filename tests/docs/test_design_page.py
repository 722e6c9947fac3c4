"""``docs/explanation/design.md`` describes today's folders, in the order that the import contract has."""

from __future__ import annotations

import ast
import re
import tomllib

from tests.docs.examples import ROOT
from tests.test_layout import PACKAGES, TOP

PAGE = (ROOT / "docs" / "explanation" / "design.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CONTRACTS = PROJECT["tool"]["importlinter"]["contracts"]


def table(title: str) -> dict[str, str]:
    """The first two columns of a section's table, folders without their last slash."""
    section = PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]
    return dict(re.findall(r"^\| `([\w/]+)/` \| (.*?) \|", section, re.MULTILINE))


def test_every_top_folder_is_listed_from_the_top_of_the_import_contract_to_its_bottom() -> None:
    listed = list(table("Top folders"))
    assert set(TOP) <= set(listed)
    layers = [layer.removeprefix("german_whist.") for layer in CONTRACTS[0]["layers"]]
    assert [name for name in listed if name in layers] == [name for name in layers if name in listed]


def test_every_sub_folder_is_listed_with_its_own_words() -> None:
    written = {}
    for folder in PACKAGES:
        name = folder.relative_to(ROOT).as_posix()
        if "/" in name:
            about = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
            written[name] = about.splitlines()[0].replace("``", "`")
    assert table("Sub-folders") == written


def test_sub_folders_stand_in_the_order_of_the_import_contract() -> None:
    listed = list(table("Sub-folders"))
    inside = [one for one in CONTRACTS if one.get("containers")]
    assert len(inside) == 4
    for contract in inside:
        top = contract["containers"][0].removeprefix("german_whist.")
        level = {name: at for at, layer in enumerate(contract["layers"]) for name in layer.split(" | ")}
        folders = [name.removeprefix(f"{top}/") for name in listed if name.startswith(f"{top}/")]
        levels = [level[name] for name in folders if "/" not in name]
        assert levels == sorted(levels)

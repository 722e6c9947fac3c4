"""What a clone shows of the Python API, where the site shows the docstrings in full.

A page of the API has autodoc's directives in a comment, ``<!-- site … -->``, and below it, in a part named ``clone``, a
table of the objects that these directives name.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from pkgutil import resolve_name

import german_whist as gw
from tools.markdown import markdown_table
from tools.reference_pages import REFERENCE, ROOT

API = REFERENCE / "api"


def documented(text: str) -> list[str]:
    """Return the full names of the objects that a page's directives describe."""
    return re.findall(r"^\.\. auto\w+:: ([\w.]+)", text, re.MULTILINE)


def summary(directives: str) -> str:
    """Return a table of the objects that directives describe."""
    rows = []
    for name in documented(directives):
        value = inspect.unwrap(resolve_name(name))
        source = Path(inspect.getsourcefile(value) or "").resolve().relative_to(ROOT).as_posix()
        rows.append((f'<a id="{name}"></a>[`{_shown(name)}`](../../../{source})', _first_sentence(value)))
    return markdown_table(("name, linked to its source", "first sentence of `help(gw.NAME)`"), rows)


def _shown(name: str) -> str:
    """Return a public name alone, any other in full."""
    short = name.removeprefix("german_whist.")
    return short if short in gw.__all__ else name


def _first_sentence(value: object) -> str:
    """Return the first sentence of a docstring as Markdown."""
    paragraph = " ".join((inspect.getdoc(value) or "").partition("\n\n")[0].split())
    sentence = re.sub(r"(?<=\.) .*", "", paragraph)
    return re.sub(r":\w+:`~?(?:\w+\.)*(\w+)`", r"`\1`", sentence).replace("``", "`")


def index() -> str:
    """Return a table of the public names, page by page, in the order of the index's own list of pages.

    Raises:
        ValueError: if a public name is on no page or on two.
    """
    rows = []
    found: list[str] = []
    for page in re.findall(r"^\w+$", (API / "index.md").read_text(encoding="utf-8"), re.MULTILINE):
        text = (API / f"{page}.md").read_text(encoding="utf-8")
        names = [name for name in documented(text) if _shown(name) in gw.__all__]
        found += map(_shown, names)
        title = re.findall("^# (.*)$", text, re.MULTILINE)[0]
        if names:
            rows.append((f"[{title}]({page}.md)", ", ".join(f"[`{_shown(name)}`]({page}.md#{name})" for name in names)))
    if wrong := [name for name in gw.__all__ if found.count(name) != 1]:
        raise ValueError(f"one page of docs/reference/api must describe each of {wrong}")
    return markdown_table(("page", "names"), rows)

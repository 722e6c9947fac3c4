"""The objects of the web API as the code declares them, for the reference page and for the page's JavaScript.

``python docs/_ext/web_api.py`` writes the types of the JavaScript, ``web/static/js/types.js``.
"""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple, NotRequired, Union, get_args, get_origin, get_type_hints

import msgspec

from german_whist.session import schema as session_schema
from german_whist.web import schema as web_schema
from german_whist.web.handlers import ENDPOINTS

TYPES_JS = Path(__file__).parents[2] / "web" / "static" / "js" / "types.js"

_MODULES = (session_schema, web_schema)
_SCALARS = {str: "string", int: "number", float: "number", bool: "boolean", type(None): "null"}


class Field(NamedTuple):
    """A field of an object: its name and type, whether it may be missing, and the comment beside it."""

    name: str
    type: Any
    optional: bool
    meaning: str


class Object(NamedTuple):
    """An object of the API: its name, what it is, and its fields."""

    name: str
    meaning: str
    fields: list[Field]


def words() -> dict[str, tuple[str, ...]]:
    """Return the types that are one of some words, by name."""
    named = {name: kind for module in _MODULES for name, kind in vars(module).items()}
    return {name: get_args(kind) for name, kind in named.items() if get_origin(kind) is Literal}


def objects() -> dict[str, Object]:
    """Return the objects that are sent, by name, in the order of their declarations."""
    ends = [*(one.body for one in ENDPOINTS), *(one.answer for one in ENDPOINTS), web_schema.ErrorAnswer]
    sent = {kind.__name__: kind for end in ends for kind in _parts(end)}
    found: dict[str, Object] = {}
    for name, (meaning, comments) in _comments().items():
        if name in sent:
            hints, optional = get_type_hints(sent[name]), _optional(sent[name])
            fields = [Field(key, hint, key in optional, comments[key]) for key, hint in hints.items()]
            found[name] = Object(name, meaning, fields)
    return found


def _parts(kind: Any) -> Iterator[type]:
    """Yield the objects of which a type is made, itself included."""
    if _is_object(kind):
        yield kind
        for hint in get_type_hints(kind).values():
            yield from _parts(hint)
    for part in get_args(kind):
        yield from _parts(part)


def _is_object(kind: Any) -> bool:
    return isinstance(kind, type) and kind.__module__ in {module.__name__ for module in _MODULES}


def _optional(kind: Any) -> frozenset[str]:
    """Return the fields that may be missing, of an answer (a TypedDict) or a request (a Struct)."""
    if issubclass(kind, msgspec.Struct):
        return frozenset(field.name for field in msgspec.structs.fields(kind) if not field.required)
    hints = get_type_hints(kind, include_extras=True)
    return frozenset(name for name, hint in hints.items() if get_origin(hint) is NotRequired)


def _comments() -> dict[str, tuple[str, dict[str, str]]]:
    """Return what the source says of every class: its docstring, and the comments beside or above its fields."""
    found: dict[str, tuple[str, dict[str, str]]] = {}
    name, above = "", ""
    for line in "".join(inspect.getsource(module) for module in _MODULES).splitlines():
        if header := re.match(r"class (\w+)\((\w+)", line):
            name = header[1]
            found[name] = ("", dict(found[header[2]][1]) if header[2] in found else {})
        elif text := re.fullmatch(r'    """(.*)"""', line):
            found[name] = (text[1], found[name][1])
        elif comment := re.fullmatch(r"    # (.*)", line):
            above = comment[1]
        elif field := re.fullmatch(r"    (\w+): .*?(?:  # (.*))?", line):
            found[name][1][field[1]] = field[2] or above
            above = ""
    return found


def type_text(kind: Any, link: Callable[[str], str] = str) -> str:
    """Return a type as JavaScript writes it.

    Args:
        kind: the type in Python.
        link: makes a link of the name of an object.
    """
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Literal:
        names = {values: name for name, values in words().items()}
        return names.get(parts) or words_text(parts)
    if origin in (Union, types.UnionType):
        return " | ".join(type_text(part, link) for part in parts)
    if origin is list:
        item = type_text(parts[0], link)
        return f"({item})[]" if " | " in item else f"{item}[]"
    if origin is dict:
        return f"Record<{', '.join(type_text(part, link) for part in parts)}>"
    return link(kind.__name__) if _is_object(kind) else _SCALARS[kind]


def words_text(values: tuple[str, ...]) -> str:
    """Return the type that is one of some words."""
    return " | ".join(f'"{value}"' for value in values)


def types_js() -> str:
    """Return the types of the page's JavaScript."""
    lines = ["// @ts-check", "/** The objects of the web API, written by `python docs/_ext/web_api.py`. */", "", "/**"]
    lines += [f" * @typedef {{{words_text(values)}}} {name}" for name, values in words().items()]
    for one in objects().values():
        lines += [" */", "", "/**", f" * {one.meaning}", " *", f" * @typedef {{object}} {one.name}"]
        for field in one.fields:
            name = f"[{field.name}]" if field.optional else field.name
            lines.append(f" * @property {{{type_text(field.type)}}} {name}  {field.meaning}".rstrip())
    return "\n".join([*lines, " */", "", "export {};", ""])


if __name__ == "__main__":
    TYPES_JS.write_text(types_js(), encoding="utf-8")

"""A safe subset of YAML for settings from users: numbers, names, flags, lists and mappings.

PyYAML's safe loader runs no code, but a few bytes of nested aliases expand to gigabytes, deep nesting overflows the
stack, tags such as ``!!bool x`` end in a ``KeyError``, and a key that is given twice is silently dropped.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import yaml

MAX_LENGTH = 65_536  # characters
MAX_DEPTH = 20  # lists and mappings inside each other
MAX_DIGITS = 100  # characters of a number

_TAG = "tag:yaml.org,2002:"


class _Loader(yaml.SafeLoader):
    """A safe loader that refuses aliases, tags and duplicate keys, and reads dates as text."""

    _depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        event = self.peek_event()
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise _error("anchors and aliases are not allowed", event)
        if getattr(event, "tag", None) is not None:
            raise _error("tags are not allowed", event)
        if self._depth == MAX_DEPTH:
            raise _error(f"more than {MAX_DEPTH} levels are nested", event)
        self._depth += 1
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
        keys = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, Hashable):
                raise _error("a list or mapping cannot be a key", key_node)
            if key in keys:
                raise _error(f"{key!r:.60} is given twice", key_node)
            keys.add(key)
        mapping: dict[Hashable, Any] = super().construct_mapping(node, deep)
        return mapping

    def construct_number(self, node: Any) -> int | float:
        if len(node.value) > MAX_DIGITS:
            raise _error(f"a number has more than {MAX_DIGITS} digits", node)
        make = self.construct_yaml_int if node.tag == f"{_TAG}int" else self.construct_yaml_float
        number: int | float = make(node)
        return number

    def construct_date(self, node: Any) -> str:
        self.construct_yaml_timestamp(node)  # raises for an impossible date
        return str(node.value)

    def refuse(self, node: Any) -> None:
        raise _error(f"{node.value!r:.60} is not allowed", node)


class YamlError(ValueError):
    """Text that is not YAML, or more than settings need.

    Attributes:
        line: the line of the text, from 1, or ``None``.
    """

    def __init__(self, reason: str, line: int | None = None) -> None:
        """Keep the reason and the line."""
        super().__init__(f"not YAML: {reason}")
        self.line = line


def _error(problem: str, node: Any) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)


for _kind in ("int", "float"):
    _Loader.add_constructor(f"{_TAG}{_kind}", _Loader.construct_number)
for _kind in ("merge", "value"):
    _Loader.add_constructor(f"{_TAG}{_kind}", _Loader.refuse)
_Loader.add_constructor(f"{_TAG}timestamp", _Loader.construct_date)


def parse_yaml(text: str) -> Any:
    """Parse YAML text into ``None``, a flag, a number, text, or a list or mapping of these.

    Args:
        text: one document, of at most 65,536 characters and 20 nested levels.

    Raises:
        YamlError: if it is anything else; the message is one line.
    """
    if len(text) > MAX_LENGTH:
        raise YamlError(f"the text has {len(text)} characters, and at most {MAX_LENGTH} are allowed")
    try:
        return yaml.load(text, _Loader)
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        mark = getattr(error, "problem_mark", None)
        reason = " ".join(str(getattr(error, "problem", None) or error).split())
        raise YamlError(f"{reason:.200}", mark.line + 1 if mark else None) from None

"""Signatures of the API as short as a reader needs them, with the anchors that links to public names lead to."""

from __future__ import annotations

import re
from typing import Any

import numpy.typing as npt
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.typing import stringify_annotation


def _keep_colons(_app: Sphinx, what: str, _name: str, _object: Any, _options: Any, lines: list[str]) -> None:
    """Keep napoleon from reading a property's sentence up to its colon as a type."""
    if what == "property" and lines:
        lines[0] = lines[0].replace(": ", " – ", 1)


def _short(text: str) -> str:
    """Return a type with arrays as ``ndarray[int8]`` and ``ArrayLike``, without what numpy makes of them."""
    prefix = r"~?(?:\w+\.)*"  # a module's name; ~ asks Sphinx to leave it out
    shape = rf"(?:{prefix}tuple\[[^\]]*\]|{prefix}Any)"
    of_shape = rf"{prefix}ndarray\[{shape}, (?:{prefix}Any|{prefix}dtype\[{prefix}(\w+)(?:\[{prefix}Any\])?\])\]"
    unevaluated = rf"{prefix}NDArray\[{prefix}(\w+)\]"

    def array(found: re.Match[str]) -> str:
        dtype = found[1] or found[2]
        return "ndarray" if dtype in (None, "Any") else f"ndarray[{dtype.rstrip('_')}]"

    text = text.replace(stringify_annotation(npt.ArrayLike, "smart"), "ArrayLike")
    return re.sub(f"{of_shape}|{unevaluated}", array, text)


def _short_signature(*event: Any) -> tuple[str | None, str | None]:
    """Shorten a signature and its return type."""
    signature, returns = event[-2:]
    return signature and _short(signature), returns and _short(returns)


def _short_attribute(_app: Sphinx, _domain: str, kind: str, content: nodes.Element) -> None:
    """Shorten the type of an attribute or a property, which has no signature."""
    if kind in ("attribute", "property") and content.parent is not None:
        for annotation in content.parent.findall(addnodes.desc_annotation):
            parts = [
                part for part in annotation.findall(nodes.Text) if part.parent.get("condition") != "*"
            ]  # short names
            if (text := "".join(parts)) != (short := _short(text)):
                annotation.clear()
                annotation.append(nodes.Text(short))


def _public_anchor(_app: Sphinx, domain: str, _kind: str, content: nodes.Element) -> None:
    """Add the anchor that viewcode links to from a module with public names: that of ``german_whist`` itself."""
    if domain == "py" and content.parent is not None:
        for signature in content.parent.findall(addnodes.desc_signature):
            if (anchor := f"german_whist.{signature['fullname']}") not in signature["ids"]:
                signature["ids"].append(anchor)


def setup(app: Sphinx) -> dict[str, bool]:
    """Change what autodoc writes."""
    app.connect("autodoc-process-signature", _short_signature)
    app.connect("object-description-transform", _short_attribute)
    app.connect("object-description-transform", _public_anchor)
    app.connect("autodoc-process-docstring", _keep_colons, priority=400)  # before napoleon
    return {"parallel_read_safe": True}

"""A lexer of commands: every word is one token, in which the style sheet keeps lines from breaking."""

from __future__ import annotations

from typing import ClassVar

from pygments.lexer import RegexLexer
from pygments.token import Comment, Name, String, Whitespace
from sphinx.application import Sphinx


class CommandLexer(RegexLexer):
    """Commands without prompts: options, quoted words, other words and comments."""

    name = "console"
    tokens: ClassVar = {
        "root": [
            (r"\s+", Whitespace),
            (r"#.*", Comment.Single),
            (r"--?[A-Za-z][\w-]*", Name.Attribute),
            (r"(?:\"[^\"]*\"|'[^']*')\S*", String),
            (r"\S+", Name),
        ]
    }


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the lexer for both kinds of command."""
    app.add_lexer("console", CommandLexer)
    app.add_lexer("sh", CommandLexer)
    return {"parallel_read_safe": True}

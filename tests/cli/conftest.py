"""A person who types."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

Typist = Callable[[Iterable[str]], list[str]]


@pytest.fixture
def types(monkeypatch: pytest.MonkeyPatch) -> Typist:
    """Give ``types(lines)``: what is typed from now on; a list of the questions asked comes back and fills."""

    def script(lines: Iterable[str]) -> list[str]:
        rest, asked = iter(lines), []

        def answer(question: str = "") -> str:
            asked.append(question)
            try:
                return next(rest)
            except StopIteration:
                raise EOFError from None

        monkeypatch.setattr("builtins.input", answer)
        return asked

    return script

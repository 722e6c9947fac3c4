"""Mutations of bytes, texts, JSON values and command lines, each a function of a random generator alone."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np

Rng = np.random.Generator

HOSTILE_VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 2.5, 0.0, -0.0, 10**400, -(10**30), 2**63, 2**64, 1e308, float("inf"), float("nan"),
    "", "x", "\0", "\x1b[2J", "../../etc/passwd", "9" * 5000, "é" * 300, [], [[]], {}, {"a": 1}, [0] * 1000, "[" * 3000,
]  # fmt: skip
HOSTILE_WORDS = [
    "", "-", "--", "x", "\0", "é", "🂡", "0", "-1", "1e400", "nan", "1_0", "0x10", " ", "\n", "a=b", ":", ",", "+exact",
    "random+exact+exact", "champion:temperature=x", "checkpoint:", "checkpoint:/dev/null", "checkpoint:.",
    "mc:worlds=0", "classic:hand=[[[", "classic:hand=!!bool x", "classic:&a [*a]", "classic:hand=1,hand=2", "tiny",
    "humbug", "..", "/", "/dev/null", "{a: 1}", "[1", "*",
    "SA", "A.K.Q.J", "AA...", "first_to:0", "--json", "--help", "--rules", "--seed",
]  # fmt: skip
SNIPPETS = [
    b"\0", b"\xff", b"[", b"{", b'"', b"'", b"\n", b"\r\n", b":", b"-", b"&a ", b"*a", b"!!bool ", b"9" * 40, b"1e999",
    b"NaN", b"null", b"\\u0000", b",", b"  ", b"#", b"---\n", b"<<: ",
]  # fmt: skip
SIZES = [0, 1, 2**31, 2**40, 2**63, 2**64 - 1]


def mutate_bytes(rng: Rng, content: bytes) -> bytes:
    """Flip, replace, insert, remove, repeat or cut bytes, in one to four places."""
    data = bytearray(content)
    for _ in range(int(rng.integers(1, 5))):
        at = int(rng.integers(len(data) + 1))
        # Headers are at the front, and most of a file is numbers: half of the places are among the first 2,000 bytes.
        at = at if rng.random() < 0.5 else min(at, int(rng.integers(2000)))
        length = int(rng.integers(1, 9))
        match int(rng.integers(7)):
            case 0 if at < len(data):
                data[at] ^= 1 << int(rng.integers(8))
            case 1:
                data[at : at + length] = rng.bytes(length)
            case 2:
                data[at:at] = SNIPPETS[int(rng.integers(len(SNIPPETS)))]
            case 3:
                del data[at : at + length]
            case 4:
                data[at:at] = data[at : at + 4 * length] * int(rng.integers(1, 20))
            case 5:
                del data[at:]
            case 6:
                data[at : at + 8] = SIZES[int(rng.integers(len(SIZES)))].to_bytes(8, "little")
    return bytes(data)


def mutate_json(rng: Rng, value: Any) -> Any:
    """Replace, remove or duplicate one place of a JSON value."""
    value = copy.deepcopy(value)
    parents: list[tuple[Any, Any]] = []

    def visit(part: Any) -> None:
        keys = part if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else ()
        for key in keys:
            parents.append((part, key))
            visit(part[key])

    visit(value)
    if not parents:
        return HOSTILE_VALUES[int(rng.integers(len(HOSTILE_VALUES)))]
    part, key = parents[int(rng.integers(len(parents)))]
    match int(rng.integers(4)):
        case 0:
            del part[key]
        case 1 if isinstance(part, dict):
            part[f"{key}x"] = part.pop(key)
        case _:
            part[key] = HOSTILE_VALUES[int(rng.integers(len(HOSTILE_VALUES)))]
    return value


def mutate_text(rng: Rng, text: str) -> str:
    """Mutate the bytes of a text."""
    return mutate_bytes(rng, text.encode()).decode(errors="replace")


def mutate_words(rng: Rng, words: list[str]) -> list[str]:
    """Replace, insert, remove or mutate words of a command line; never its first word alone."""
    words = list(words)
    for _ in range(int(rng.integers(1, 4))):
        at = int(rng.integers(1, len(words) + 1))
        hostile = HOSTILE_WORDS[int(rng.integers(len(HOSTILE_WORDS)))]
        match int(rng.integers(4)):
            case 0:
                words[at : at + 1] = [hostile]
            case 1:
                words[at:at] = [hostile]
            case 2:
                del words[at : at + 1]
            case 3 if at < len(words):
                words[at] = words[at][: int(rng.integers(len(words[at]) + 1))] + hostile[:3]
    return words


def as_json(value: Any) -> str:
    """Return JSON text, with the constants that strict JSON lacks and numbers of any length."""
    return json.dumps(value)

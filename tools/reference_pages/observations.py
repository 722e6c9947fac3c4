"""Blocks, columns and ranges of observations, histories and full states."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from german_whist.game.layout import Block
from german_whist.game.match_format import DEALS_PER_MATCH, MAX_DEALS, MAX_TARGET
from german_whist.simulator.observation.full_state import state_layout
from german_whist.simulator.observation.history import COLUMNS, EVENTS, HISTORY_VERSION, history_high, max_events
from german_whist.simulator.observation.vector import OBSERVATION_VERSION, observation_layout
from tools.markdown import markdown_table

# The optional blocks, in order: what adds one, in words, and rules and a match format that have it.
_OPTIONAL = (
    ("`open_stock` of 2 or more, `draft`, `humbug`", "draft", None),
    ("`high_low`", "high_low", None),
    ("`race`", "race", None),
    ("`humbug`", "humbug", None),
    ("a match with scores up to 127", "classic", "first_to:25"),
    ("a match with higher scores", "classic", "first_to:1000"),
)


def vector() -> str:
    """Return the version, the size and the blocks of the vector."""
    layout = observation_layout("classic")
    return f"Version {OBSERVATION_VERSION}; int8[{layout['turn'].stop}] in `classic`:\n\n{_blocks(layout)}"


def vector_added() -> str:
    """Return a table of the blocks that some rules and matches add to the vector."""
    return _added(observation_layout)


def history() -> str:
    """Return the version, the size and the columns of the history."""
    high = history_high("classic")
    columns = (
        (number, f"`{column.name}`", _range(high[:, number]), column.meaning) for number, column in enumerate(COLUMNS)
    )
    size = f"Version {HISTORY_VERSION}; int8[{max_events('classic')}, {len(COLUMNS)}] in `classic`, with the columns:"
    return f"{size}\n\n{markdown_table(('column', 'name', 'values', 'meaning'), columns)}"


def events() -> str:
    """Return a table of the events of a history."""
    rows = ((number, f"`{name}`", text) for number, (name, text) in enumerate(EVENTS))
    return markdown_table(("event", "name", "meaning"), rows)


def state() -> str:
    """Return the size and the blocks of the full state."""
    layout = state_layout("classic")
    return f"int8[{layout['done'].stop}] in `classic`:\n\n{_blocks(layout)}"


def state_added() -> str:
    """Return a table of the blocks that some rules and matches add to the full state."""
    return _added(state_layout)


def matches() -> str:
    """Return the limits of matches, and their first deals."""
    return (
        f"Targets: 1 to {MAX_TARGET:,}; a match without a winner after {MAX_DEALS:,} deals is a draw. Match m of a "
        f"seed starts with deal {DEALS_PER_MATCH:,} · m + m % 2, so the first dealer alternates."
    )


def _range(high: Iterable[int]) -> str:
    """Return the range of values of a column, ``0–…``."""
    return f"0–{max(int(value) for value in high)}"


def _features(block: Block) -> str:
    last = block.stop - 1
    return str(block.start) if last == block.start else f"{block.start}–{last}"


def _blocks(layout: dict[str, Block]) -> str:
    """Return a table with a row for each block; the two of a state's seats share one."""
    rows: list[list[str]] = []
    for name, block in layout.items():
        if block.meaning == "the same for seat 1":
            rows[-1][0] += f", `{name}`"
            rows[-1][1] += f", {_features(block)}"
        else:
            rows.append([f"`{name}`", _features(block), f"0–{block.high}", block.meaning.replace("seat 0", "the seat")])
    return markdown_table(("block", "features", "values", "meaning"), rows)


def _added(layout_of: Callable[..., dict[str, Block]]) -> str:
    """Return a table of the blocks that rules and matches add to the classic game's, each block once."""
    classic = layout_of("classic")
    known = set()
    rows = []
    for cause, preset, match in _OPTIONAL:
        for name, block in layout_of(preset, match).items():
            entry = (name, match)
            if name in classic or entry in known:
                continue
            known.add(entry)
            example = f" (`{match}`)" if match else f" (preset `{preset}`)" if name == "race" else ""
            rows.append((f"`{name}`", cause, block.stop - block.start, f"0–{block.high}{example}", block.meaning))
    return markdown_table(("block", "added by", "size", "values", "meaning"), rows)

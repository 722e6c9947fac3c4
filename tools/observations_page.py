"""Writes ``docs/reference/observations.md`` from the code: ``python -m tools.observations_page``."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable

from german_whist.game.layout import Block
from german_whist.game.match_format import DEALS_PER_MATCH, MAX_DEALS, MAX_TARGET
from german_whist.simulator.observation.full_state import state_layout
from german_whist.simulator.observation.history import COLUMNS, EVENTS, HISTORY_VERSION, history_high, max_events
from german_whist.simulator.observation.vector import OBSERVATION_VERSION, observation_layout
from tools.markdown import markdown_table

_KEPT = "\N{NO-BREAK SPACE}"  # where a line must not break
COMMAND = "python -m tools.observations_page > docs/reference/observations.md"

# The optional blocks of the vectors, in order: what adds one, in words, and rules and a match format that have it.
_OPTIONAL = (
    ("`open_stock` of 2 or more, `draft`, `humbug`", "draft", None),
    ("`high_low`", "high_low", None),
    ("`race`", "race", None),
    ("`humbug`", "humbug", None),
    ("a match with scores up to 127", "classic", "first_to:25"),
    ("a match with higher scores", "classic", "first_to:1000"),
)


def page() -> str:
    """Return the page, Markdown."""
    return "\n".join([*_introduction(), *_vector(), *_history(), *_state(), *_matches()])


def _table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> list[str]:
    return [*markdown_table(head, rows).splitlines(), ""]


def _range(high: Iterable[int]) -> str:
    """Return the range of values of a column, ``0–…``."""
    return f"0–{max(int(value) for value in high)}"


def _features(block: Block) -> str:
    last = block.stop - 1
    return str(block.start) if last == block.start else f"{block.start}–{last}"


def _blocks(layout: dict[str, Block]) -> list[str]:
    """Return a row for each block; the two of a state's seats share one."""
    rows: list[list[str]] = []
    for name, block in layout.items():
        if block.meaning == "the same for seat 1":
            rows[-1][0] += f", `{name}`"
            rows[-1][1] += f", {_features(block)}"
        else:
            rows.append([f"`{name}`", _features(block), f"0–{block.high}", block.meaning.replace("seat 0", "the seat")])
    return _table(("block", "features", "values", "meaning"), rows)


def _prose(text: str) -> list[str]:
    """Wrap a paragraph, without breaking code spans: Markdown could take a continuation for a list."""
    text = re.sub("`.*?`", lambda span: span[0].replace(" ", _KEPT), " ".join(text.split()))
    lines = textwrap.wrap(text, 118, break_on_hyphens=False, break_long_words=False)
    return [*(line.replace(_KEPT, " ") for line in lines), ""]


def _introduction() -> list[str]:
    return [
        "# Observations",
        "",
        *_prose(f"""
            Features of observations, histories and full states, written by `{COMMAND}`."""),
        *_prose(f"""
            `observation="vector"` (default, version {OBSERVATION_VERSION}): where every card is and what was shown.
            `observation="history"` (version {HISTORY_VERSION}): the sequence of events, for recurrent and attention
            networks."""),
        *_prose("""
            Both are int8, from the seat's point of view, and hold only its knowledge. Cards are `13 * suit + rank`,
            suits C D H S = 0 to 3, ranks 2 to A = 0 to 12, in every deck. PettingZoo envs return a dictionary with
            `observation` and `action_mask` (all 0 if the seat is not to act), Gymnasium envs the vector, with the
            mask in `info`."""),
        "![A vector, block by block, and its action mask](../images/observation.svg)",
        "",
        *_prose("""
            *The position of [the rules' picture](rules.md): a grid has a row for each suit and a column for each
            rank.*"""),
    ]


def _vector() -> list[str]:
    layout = observation_layout("classic")
    lines = [
        "## The vector",
        "",
        *_prose(f"""
            Blocks of `german_whist.observation_layout(rules, match=None)`; int8[{layout["turn"].stop}] in `classic`. In
            blocks of 52, feature c is 1 for card c."""),
        *_blocks(layout),
        *_prose("""
            Features of missing cards are 0. Some settings add blocks at the end, in this order:"""),
    ]
    return lines + _added(observation_layout, "classic")


def _added(layout_of: Callable[..., dict[str, Block]], base: str) -> list[str]:
    """Return the table of the blocks that rules and matches add to the classic game's, each block once."""
    known = set(layout_of(base))
    rows = []
    for cause, preset, match in _OPTIONAL:
        for name, block in layout_of(preset, match).items():
            entry = name if match is None else f"{name} {match}"
            if name in layout_of(base) or entry in known:
                continue
            known.add(entry)
            example = f" (`{match}`)" if match else f" (preset `{preset}`)" if name == "race" else ""
            rows.append((f"`{name}`", cause, block.stop - block.start, f"0–{block.high}{example}", block.meaning))
    return _table(("block", "added by", "size", "values", "meaning"), rows)


def _history() -> list[str]:
    high = history_high("classic")
    return [
        "## The history",
        "",
        *_prose(f"""
            int8[{max_events("classic")}, {len(COLUMNS)}] in `classic`: one row per event, then zeros; `length`,
            int16[1], is the number of events. With `observation="both"` it is the entry `history` beside the
            vector. `DealBatch(…, history=True).history()` returns a batch's. Columns in `classic`:"""),
        *_table(
            ("column", "name", "values", "meaning"),
            (
                (number, f"`{column.name}`", _range(high[:, number]), column.meaning)
                for number, column in enumerate(COLUMNS)
            ),
        ),
        "The events:",
        "",
        *_table(("event", "name", "meaning"), ((i, f"`{name}`", text) for i, (name, text) in enumerate(EVENTS))),
        *_prose("""
            Histories have perfect recall. Both seats list the same events in the same rows. In a match, the history is
            the current deal's, and `match` has the scores."""),
    ]


def _state() -> list[str]:
    layout = state_layout("classic")
    return [
        "## The full state: `state()`",
        "",
        *_prose(f"""
            For critics: int8[{layout["done"].stop}] in `classic`, by seat
            (`german_whist.simulator.observation.full_state.state_layout`)."""),
        *_blocks(layout),
        "Some settings add blocks at the end, in this order:",
        "",
        *_added(state_layout, "classic"),
    ]


def _matches() -> list[str]:
    return [
        "## Matches",
        "",
        *_prose(f"""
            Scores of a match are in half points where the rules score half points. Targets: 1 to {MAX_TARGET:,}; a
            match without a winner after {MAX_DEALS:,} deals is a draw. Match m of a seed starts with deal
            {DEALS_PER_MATCH:,} · m + m % 2, so the first dealer alternates."""),
    ]


if __name__ == "__main__":
    print(page(), end="")

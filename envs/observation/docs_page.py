"""The page ``docs/reference/observations.md``, written from the code.

Made by ``python -m german_whist.envs.observation.docs_page > docs/reference/observations.md``.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt

from german_whist.envs.engine.layout import Block
from german_whist.envs.engine.match_format import DEALS_PER_MATCH, LARGEST, MAX_DEALS
from german_whist.envs.engine.rules import Rules, rule_names, rules
from german_whist.envs.observation.full_state import state_high, state_layout
from german_whist.envs.observation.history import COLUMNS, EVENTS, HISTORY_VERSION, history_high, max_events
from german_whist.envs.observation.vector import OBSERVATION_VERSION, observation_high, observation_layout

COMMAND = "python -m german_whist.envs.observation.docs_page > docs/reference/observations.md"

# What adds a block to the vectors, in the order in which the blocks stand.
_ADDING = (
    ("`open_stock` of 2 and more, `draft` or `humbug`", "draft", None),
    ("`high_low`", "high_low", None),
    ("`race`", "race", None),
    ("`humbug`", "humbug", None),
    ("a match with scores up to 127", "classic", "first_to:25"),
    ("a match with higher scores", "classic", "first_to:1000"),
)


def page() -> str:
    """Return the page, Markdown."""
    return "\n".join([*_introduction(), *_vector(), *_history(), *_state(), *_games()])


def _table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> list[str]:
    names = list(head)
    lines = [names, ["---"] * len(names), *([str(cell) for cell in row] for row in rows)]
    return ["| " + " | ".join(cells) + " |" for cells in lines] + [""]


def _range(high: Iterable[int]) -> str:
    """Return the values that the cells of a block can take, ``0 to …``."""
    largest = {int(value) for value in high}
    return f"0 to {max(largest)}"


def _cells(block: Block) -> str:
    last = block.stop - 1
    return str(block.start) if last == block.start else f"{block.start}–{last}"


def _blocks(layout: dict[str, Block], high: list[int]) -> list[str]:
    return _table(
        ("block", "cells", "number", "values", "meaning"),
        (
            (
                f"`{name}`",
                _cells(block),
                block.stop - block.start,
                _range(high[block.start : block.stop]),
                block.meaning,
            )
            for name, block in layout.items()
        ),
    )


def _prose(text: str) -> list[str]:
    """Return a paragraph, given in lines of any length, in lines that fit."""
    return [*textwrap.wrap(" ".join(text.split()), 118, break_on_hyphens=False, break_long_words=False), ""]


def _introduction() -> list[str]:
    return [
        "# Observations",
        "",
        *_prose(f"This page is written by the code: `{COMMAND}`. A test compares the two."),
        *_prose(f"""
            An environment shows a seat one of two encodings of what it knows, chosen by the argument `observation`:
            `"vector"` (the default; layout version {OBSERVATION_VERSION}, `OBSERVATION_VERSION`) says where every card
            is and what has been shown; `"history"` (version {HISTORY_VERSION}, `HISTORY_VERSION`) says what happened,
            in order, for recurrent and attention networks. Checkpoints carry the version of the vector that their
            network reads, and one of another version is refused. A version rises when the meaning, the order or the
            number of the cells of a game changes; a game that did not exist before leaves it as it is."""),
        *_prose("""
            In both, cards are numbered `13 * suit + rank`, suits C D H S = 0 to 3 and ranks 2 to A = 0 to 12, in every
            deck; everything is seen from the observing seat's own side, and nothing depends on what that seat cannot
            know. Every cell is int8 and not negative. The PettingZoo environment gives a dictionary with the encoding
            under `observation` and the legal actions, 0 or 1 each, under `action_mask`: all zeros when it is not the
            seat's turn. The Gymnasium environments give the vector alone, and the mask in `info`."""),
    ]


def _vector() -> list[str]:
    layout, high = observation_layout("classic"), observation_high("classic").tolist()
    lines = [
        "## The vector",
        "",
        *_prose(f"""
            `german_whist.observation_layout(rules, match=None)` gives these ranges, and `DealBatch.observe()` writes
            whole batches. In the classic game it has {len(high)} cells:"""),
        *_blocks(layout, high),
        *_prose("""
            With other decks the cells stay where they are, and those of cards that are not in the deck stay 0; largest
            values follow the game's number of tricks and its stock. These settings add blocks at the end, in this
            order:"""),
    ]
    return lines + _added(observation_layout, observation_high, "classic")


def _added(
    layout_of: Callable[..., dict[str, Block]], high_of: Callable[..., npt.NDArray[np.int8]], base: str
) -> list[str]:
    """Return the blocks that rules and matches add to those of the classic game, each once."""
    known = set(layout_of(base))
    rows = []
    for cause, game, match in _ADDING:
        high = high_of(game, match)
        for name, block in layout_of(game, match).items():
            entry = name if match is None else f"{name} {match}"
            if name in layout_of(base) or entry in known:
                continue
            known.add(entry)
            values = _range(high[block.start : block.stop])
            example = f" (`{match}`)" if match else f" (preset `{game}`)" if name == "race" else ""
            rows.append((f"`{name}`", cause, block.stop - block.start, values + example, block.meaning))
    return _table(("block", "added by", "number", "values", "meaning"), rows)


def _history() -> list[str]:
    high = history_high("classic")
    return [
        "## The history",
        "",
        *_prose(f"""
            int8[max_events, {len(COLUMNS)}]: one row an event, zeros after the last, and the number of events beside it
            (`length` in the environment's dictionary, int16[1]). Rows whose `event` is 0 are padding: that is the mask
            an attention network needs. `DealBatch(…, history=True).history()` gives tokens and lengths of whole
            batches. Columns, with their values in the classic game:"""),
        *_table(
            ("column", "name", "values", "meaning"),
            (
                (number, f"`{column.name}`", _range(high[:, number]), column.meaning)
                for number, column in enumerate(COLUMNS)
            ),
        ),
        "Events:",
        "",
        *_table(("event", "name", "meaning"), ((i, f"`{name}`", text) for i, (name, text) in enumerate(EVENTS))),
        *_prose("""
            Perfect recall: the hand a seat was dealt and everything it saw are in its history, so two courses of a deal
            that it can tell apart never share one, and two that it cannot tell apart have the same. Both seats'
            histories tell of the same events in the same rows. In a match the history is that of the current deal, and
            the dictionary has the scores under `match`: the cells of the vector's block of that name."""),
    ]


def _state() -> list[str]:
    layout, high = state_layout("classic"), state_high("classic").tolist()
    return [
        "## The whole truth: `state()`",
        "",
        *_prose(f"""
            For critics that may see everything: int8[{len(high)}] in the classic game, by seat and not by side
            (`german_whist.envs.observation.full_state.state_layout`)."""),
        *_blocks(layout, high),
        "These settings add blocks at the end, in this order:",
        "",
        *_added(state_layout, state_high, "classic"),
    ]


def _games() -> list[str]:
    return [
        "## Sizes by game",
        "",
        *_table(
            ("preset", "vector", "history", "state", "actions", "blocks added to the vector"),
            (_game_row(name, rules(name)) for name in rule_names()),
        ),
        *_prose(f"""
            A match adds 3 cells to vector and state, or 6 where a score can exceed 127. Where the rules score half
            points they are counted in halves. The target is 1 to {LARGEST:,}; a match that nobody has won after
            {MAX_DEALS:,} deals is a draw. Match m of a seed takes the deals from index {DEALS_PER_MATCH:,} · m + m % 2
            on, so that no two matches share a deal and the first dealer alternates too."""),
    ]


def _game_row(name: str, game: Rules) -> tuple[object, ...]:
    layout = observation_layout(game)
    added = [f"`{block}` {_cells(layout[block])}" for block in layout if block not in observation_layout("classic")]
    return (
        f"`{name}`",
        observation_high(game).size,
        f"{max_events(game)} × {len(COLUMNS)}",
        state_high(game).size,
        game.num_actions,
        ", ".join(added) or "none",
    )


if __name__ == "__main__":
    print(page(), end="")

"""Writes ``docs/reference/observations.md`` from the code: ``python -m tools.observations_page``."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable

from german_whist.envs.engine.layout import Block
from german_whist.envs.engine.match_format import DEALS_PER_MATCH, MAX_DEALS, MAX_TARGET
from german_whist.envs.engine.rules import Rules, rule_names
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.observation.full_state import state_high, state_layout
from german_whist.envs.observation.history import COLUMNS, EVENTS, HISTORY_VERSION, history_high, max_events
from german_whist.envs.observation.vector import OBSERVATION_VERSION, observation_high, observation_layout
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
    return "\n".join([*_introduction(), *_vector(), *_history(), *_state(), *_sizes()])


def _table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> list[str]:
    return [*markdown_table(head, rows).splitlines(), ""]


def _range(high: Iterable[int]) -> str:
    """Return the range of values of a block, ``0 to …``."""
    return f"0 to {max(int(value) for value in high)}"


def _features(block: Block) -> str:
    last = block.stop - 1
    return str(block.start) if last == block.start else f"{block.start}–{last}"


def _blocks(layout: dict[str, Block]) -> list[str]:
    return _table(
        ("block", "features", "size", "values", "meaning"),
        (
            (
                f"`{name}`",
                _features(block),
                block.stop - block.start,
                f"0 to {block.high}",
                block.meaning,
            )
            for name, block in layout.items()
        ),
    )


def _prose(text: str) -> list[str]:
    """Wrap a paragraph, without breaking code spans: Markdown could take a continuation for a list."""
    text = re.sub("`.*?`", lambda span: span[0].replace(" ", _KEPT), " ".join(text.split()))
    lines = textwrap.wrap(text, 118, break_on_hyphens=False, break_long_words=False)
    return [*(line.replace(_KEPT, " ") for line in lines), ""]


def _introduction() -> list[str]:
    return [
        "# Observations",
        "",
        *_prose(f"Generated from the code with `{COMMAND}`; a test keeps the two in step."),
        *_prose(f"""
            An environment encodes what a seat knows in one of two ways, chosen with the argument `observation`.
            `"vector"` (the default; layout version {OBSERVATION_VERSION}, `OBSERVATION_VERSION`) is one flat vector of
            where every card is and what has been shown. `"history"` (version {HISTORY_VERSION}, `HISTORY_VERSION`) is
            the sequence of events, for recurrent and attention networks."""),
        *_prose("""
            Both are from the observing seat's own side and contain nothing that the seat cannot know. Cards are
            numbered `13 * suit + rank`, suits C D H S = 0 to 3 and ranks 2 to A = 0 to 12, in every deck. Every number
            is int8 and at least 0. The PettingZoo environment returns a dictionary with the encoding under
            `observation` and the legal actions under `action_mask` (1 if legal; all zeros if the seat is not to act).
            The Gymnasium environments return only the vector, with the mask in `info`."""),
        *_prose("""
            Checkpoints store the version of the vector that their network reads, and loading one of another version is
            refused. The version increases whenever the meaning, order or number of features of an existing game
            changes."""),
        "![A vector, block by block, and its action mask](../images/observation.svg)",
        "",
        *_prose("""
            *The position of [the rules' picture](rules.md) as a vector and an action mask. A grid has a row for each
            suit and a column for each rank.*"""),
    ]


def _vector() -> list[str]:
    layout = observation_layout("classic")
    lines = [
        "## The vector",
        "",
        *_prose(f"""
            `german_whist.observation_layout(rules, match=None)` returns these ranges, and `DealBatch.observe()` writes
            whole batches. The classic game has {layout["turn"].stop} features:"""),
        *_blocks(layout),
        *_prose("""
            Features have the same positions with every deck; those of cards that are not in the deck are always 0. The
            maximum values depend on the number of tricks and the stock. Some settings add blocks at the end, in this
            order:"""),
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
            rows.append((f"`{name}`", cause, block.stop - block.start, f"0 to {block.high}{example}", block.meaning))
    return _table(("block", "added by", "size", "values", "meaning"), rows)


def _history() -> list[str]:
    high = history_high("classic")
    return [
        "## The history",
        "",
        *_prose(f"""
            int8[max_events, {len(COLUMNS)}]: one row per event, then zeros. The number of events is in `length` of the
            environment's dictionary, int16[1]. Rows whose `event` is 0 are padding, from which an attention network
            gets its padding mask. `DealBatch(…, history=True).history()` returns tokens and lengths of whole batches.
            The columns, with their values in the classic game:"""),
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
            Histories have perfect recall: two courses of a deal have the same history exactly when the seat cannot tell
            them apart. Both seats' histories list the same events in the same rows. In a match the history is that of
            the current deal, and the dictionary has the scores under `match`, with the features of the vector's block
            of that name."""),
    ]


def _state() -> list[str]:
    layout = state_layout("classic")
    return [
        "## The full state: `state()`",
        "",
        *_prose(f"""
            For critics that may see hidden cards: int8[{layout["done"].stop}] in the classic game. Its blocks belong
            to seats 0 and 1, not to oneself and the opponent
            (`german_whist.envs.observation.full_state.state_layout`)."""),
        *_blocks(layout),
        "Some settings add blocks at the end, in this order:",
        "",
        *_added(state_layout, "classic"),
    ]


def _sizes() -> list[str]:
    return [
        "## Sizes by game",
        "",
        *_table(
            ("preset", "vector", "history", "state", "actions", "blocks added to the vector"),
            (_size_row(name, rules_named(name)) for name in rule_names()),
        ),
        *_prose(f"""
            A match adds 3 features to vector and state, or 6 where a score can exceed 127. Where the rules score half
            points, scores are in half points. The target is 1 to {MAX_TARGET:,}, and a match without a winner after
            {MAX_DEALS:,} deals is a draw. Match m of a seed starts with deal {DEALS_PER_MATCH:,} · m + m % 2, so no two
            matches share a deal and the first dealer alternates."""),
    ]


def _size_row(name: str, rules: Rules) -> tuple[object, ...]:
    layout = observation_layout(rules)
    added = [f"`{block}` {_features(layout[block])}" for block in layout if block not in observation_layout("classic")]
    return (
        f"`{name}`",
        observation_high(rules).size,
        f"{max_events(rules)} × {len(COLUMNS)}",
        state_high(rules).size,
        rules.num_actions,
        ", ".join(added) or "none",
    )


if __name__ == "__main__":
    print(page(), end="")

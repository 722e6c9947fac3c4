"""Recordings: played deals as lines of JSON, files of recordings, and replay.

A file is in the JSON Lines format with one deal per line, so files can be concatenated. The fields of a line, in order:

- ``version``;
- ``rules``: the fields that differ from the classic game;
- ``deal``, the address [seed, index], or ``deck``, the cards in dealing order;
- ``dealer``: the dealer's seat;
- ``names`` by seat;
- ``actions``: words separated by spaces;
- ``claimed``, only if a player ended the deal early: the number of actions played before;
- ``result``: seat 0's ``margin`` and ``points``, and the ``tricks`` of both stages by seat.
"""

from __future__ import annotations

import base64
import dataclasses
import html
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from german_whist.envs.agent import Histories, Views
from german_whist.envs.engine.actions import action_text, actions_text, parse_action
from german_whist.envs.engine.cards import deck_text, parse_deck
from german_whist.envs.engine.rules import Rules, rules_from_dict
from german_whist.envs.rendering.modes import FRAME_SIZE, Picture, check_render_mode
from german_whist.envs.rendering.renderer import load_drawing
from german_whist.envs.rendering.trick_memory import Trick, TrickMemory
from german_whist.envs.simulator.batch import DealBatch
from german_whist.envs.text.deal_text import deal_text
from german_whist.envs.text.rules_text import rules_spec
from german_whist.envs.utils.checks import check_seed, is_whole_number, whole_number
from german_whist.envs.utils.files import temporary_path
from german_whist.envs.utils.specs import count_text, must_be, printable
from german_whist.evaluation.strict_json import check_object, read_json

VERSION = 1
MAX_LINE = 131_072  # characters
MAX_NUMBER = 2**31 - 1  # largest number of tricks or points in a recording

_NOTEBOOK_SIZE, _NOTEBOOK_COLORS = (720, 480), 64
_REQUIRED = ("version", "rules", "dealer", "names", "actions", "result")
_KEYS = (*_REQUIRED[:2], "deal", "deck", *_REQUIRED[2:-1], "claimed", _REQUIRED[-1])
_RESULT_KEYS = ("margin", "points", "tricks")


@dataclasses.dataclass(frozen=True)
class DealResult:
    """Result of a finished deal.

    Attributes:
        margin: seat 0's counted tricks minus seat 1's, with the sign reversed in a low game.
        points: points of seat 0 by the scoring of the rules; seat 1 has the negative.
        tricks: tricks taken in the foreplay and in the endgame, each by seat.
    """

    margin: int
    points: float
    tricks: tuple[tuple[int, int], tuple[int, int]]

    @classmethod
    def of(cls, batch: DealBatch, row: int = 0) -> DealResult:
        """Return the result of one finished deal of a batch."""
        return deal_results(batch)[row]

    @classmethod
    def from_fields(cls, given: Any) -> DealResult:
        """Return the result from the ``result`` field of a parsed line.

        Raises:
            ValueError: when it is not a result.
        """
        fields = check_object(given, "recording: result", _RESULT_KEYS, _RESULT_KEYS)
        margin, points, tricks = (fields[key] for key in _RESULT_KEYS)
        if not _is_count(margin):
            raise ValueError(must_be("recording: margin", "an integer", margin))
        if not _is_number(points):
            raise ValueError(must_be("recording: points", "a number", points))
        try:
            (a, b), (c, d) = tricks
        except (TypeError, ValueError):
            a = b = c = d = None
        if not all(_is_count(number) for number in (a, b, c, d)):
            raise ValueError(must_be("recording: tricks", "[[0, 0], [0, 0]], counts by stage and seat", tricks))
        return cls(margin, float(points), ((a, b), (c, d)))


def deal_results(batch: DealBatch) -> list[DealResult]:
    """Return the results of all deals of a batch, which must be finished."""
    margins = batch.returns("margin")[:, 0].astype(int).tolist()
    points = batch.returns("points")[:, 0].tolist()
    tricks = [((a, b), (c, d)) for (a, b), (c, d) in batch.states["tricks"].tolist()]
    return [DealResult(*fields) for fields in zip(margins, points, tricks, strict=True)]


@dataclasses.dataclass(frozen=True)
class Recording:
    """One played deal.

    Either ``deal`` or ``deck`` determines the cards. ``to_line`` and ``from_line`` convert to and from a line of JSON,
    ``replay`` plays the deal again and checks it, and ``render`` and ``frames`` draw it.

    Attributes:
        rules: the rules.
        dealer: the dealer's seat, 0 or 1.
        names: names of the players by seat.
        actions: every action in order: the number of a card, 0 … 51, or of a choice, from 52 on.
        result: the result.
        deal: the deal's address (seed, index), or ``None`` if ``deck`` is given.
        deck: the cards in dealing order, as numbers, or ``None`` if ``deal`` is given.
        claimed: number of actions played before a player claimed or conceded the rest; the other actions are then best
            play by both seats. ``None`` if all were played.

    Raises:
        ValueError: when a field is not allowed. Only ``replay`` checks that the actions are legal and give the result.
    """

    rules: Rules
    dealer: int
    names: tuple[str, str]
    actions: tuple[int, ...]
    result: DealResult
    deal: tuple[int, int] | None = None
    deck: tuple[int, ...] | None = None
    claimed: int | None = None

    def __post_init__(self) -> None:
        """Check the fields, and convert integers of other libraries."""
        if (self.deal is None) == (self.deck is None):
            raise ValueError("recording: exactly one of deal and deck is needed")
        if self.deal is not None:
            seed, index = self.deal
            address = check_seed(seed, "recording: deal's seed"), check_seed(index, "recording: deal's index")
            object.__setattr__(self, "deal", address)
        if self.deck is not None:
            parse_deck(self.deck, self.rules.cards)
        if not is_whole_number(self.dealer, 0, 1):
            raise ValueError(must_be("recording: dealer", "0 or 1", self.dealer))
        object.__setattr__(self, "dealer", int(self.dealer))
        if self.claimed is not None:
            if not is_whole_number(self.claimed, 0, len(self.actions) - 1):
                raise ValueError(must_be("recording: claimed", "the number of a move but the last", self.claimed))
            object.__setattr__(self, "claimed", int(self.claimed))
        if len(self.names) != 2 or not all(
            isinstance(name, str) and name and name.isprintable() for name in self.names
        ):
            raise ValueError(f"recording: names {list(self.names)!r:.60} are not allowed: two printable words")

    @property
    def actions_text(self) -> str:
        """The actions as words separated by spaces."""
        return " ".join(action_text(action, self.rules) for action in self.actions)

    def to_line(self) -> str:
        """Return the recording as one line of JSON, without a line break."""
        fields: dict[str, Any] = {"version": VERSION, "rules": _changes(self.rules)}
        if self.deal is not None:
            fields["deal"] = list(self.deal)
        if self.deck is not None:
            fields["deck"] = deck_text(self.deck)
        fields["dealer"] = self.dealer
        fields["names"] = list(self.names)
        fields["actions"] = self.actions_text
        if self.claimed is not None:
            fields["claimed"] = self.claimed
        fields["result"] = dataclasses.asdict(self.result)
        return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_line(cls, line: str) -> Recording:
        """Parse a line of JSON.

        Raises:
            ValueError: when the line is truncated or is not a recording of this version.
        """
        if len(line) > MAX_LINE:
            raise ValueError(f"recording: the line has more than {MAX_LINE} characters")
        return cls.from_fields(read_json(line, "recording"))

    @classmethod
    def from_fields(cls, given: Any) -> Recording:
        """Return the recording from the fields of a parsed line.

        Raises:
            ValueError: as ``from_line``.
        """
        fields = check_object(given, "recording", _KEYS, _REQUIRED)
        if fields["version"] != VERSION or not is_whole_number(fields["version"]):
            raise ValueError(f"recording: version {fields['version']!r:.60} is not supported: only {VERSION} is")
        rules = rules_from_dict(check_object(fields["rules"], "recording: rules"))
        deal, deck, names = fields.get("deal"), fields.get("deck"), fields["names"]
        if deal is not None and not (isinstance(deal, list) and len(deal) == 2):
            raise ValueError(must_be("recording: deal", "[seed, index]", deal))
        if not isinstance(names, list):
            raise ValueError(must_be("recording: names", "a list of two", names))
        return cls(
            rules=rules,
            dealer=fields["dealer"],
            names=tuple(names),
            actions=parse_actions(fields["actions"], rules),
            result=DealResult.from_fields(fields["result"]),
            deal=None if deal is None else (deal[0], deal[1]),
            deck=None if deck is None else tuple(parse_deck(_text(deck, "deck"), rules.cards)),
            claimed=fields.get("claimed"),
        )

    def start(self) -> DealBatch:
        """Return the deal before the first action, a ``DealBatch`` of one."""
        if self.deal is None:
            batch = DealBatch(self.rules)
            batch.deal_decks([self.deck or ()], [self.dealer])
            return batch
        seed, index = self.deal
        batch = DealBatch(self.rules, 1, seed)
        batch.deal_rows([0], [index], dealers=[self.dealer])
        return batch

    def steps(self) -> Iterator[DealBatch]:
        """Replay action by action.

        Yields:
            The ``DealBatch`` before the first action, and the same object after each action.

        Raises:
            ValueError: when an action is illegal, the deal ends too early or too late, or its result differs from the
                recorded one; the message gives the reason and the number of the move, from 1.
        """
        batch = self.start()
        yield batch
        for move, action in enumerate(self.actions, 1):
            if batch.done[0]:
                left = len(self.actions) - move + 1
                raise ValueError(
                    f"move {move}: the deal was finished after move {move - 1}, but {left} more "
                    f"{'follows' if left == 1 else 'follow'}"
                )
            legal = int(batch.legal()[0])
            if not (0 <= action < self.rules.num_actions and legal >> action & 1):
                raise ValueError(self._illegal(batch, move, action, legal))
            batch.step([action])
            yield batch
        last = len(self.actions)
        if not batch.done[0]:
            raise ValueError(f"move {last + 1} is missing: the deal is not finished after {count_text(last, 'move')}")
        played = DealResult.of(batch)
        for key in _RESULT_KEYS:
            if getattr(played, key) != getattr(self.result, key):
                raise ValueError(
                    f"the deal ends after move {last} with {key} {_plain(getattr(played, key))}, "
                    f"but {_plain(getattr(self.result, key))} is recorded"
                )

    def decisions(self) -> tuple[Views, Histories, Any]:
        """Return views and histories of the seat to act before each action, and the final state.

        Returns:
            A ``VIEW`` array of shape (n,) for n actions, the event histories (tokens int8[n, events, 4] and numbers of
            events, int16[n]), and the final state, a ``STATE`` record.

        Raises:
            ValueError: as ``steps`` does.
        """
        states = [batch.states[0].copy() for batch in self.steps()]
        past = DealBatch(self.rules, len(self.actions), history=True)
        assert past.log is not None  # histories are kept
        past.states[:] = states[:-1]
        past.log.actions[:, : len(self.actions)] = self.actions
        past.log.counts[:] = np.arange(len(self.actions))
        return past.views(), past.history(), states[-1]

    def replay(self) -> DealBatch:
        """Play the deal again, check it, and return it finished, a ``DealBatch`` of one.

        Raises:
            ValueError: as ``steps`` does.
        """
        for batch in self.steps():
            last = batch
        return last

    def frames(self, *, seat: int | None = None, size: tuple[int, int] = FRAME_SIZE) -> Iterator[Picture]:
        """Yield a picture of every position from the deal to the result, as frames of a video.

        Args:
            seat: draw only what this seat sees; by default draw both hands.
            size: width and height in pixels, 120 to 8192 each.

        Yields:
            A picture before the first action and after each one, uint8[height, width, 3].

        Raises:
            ValueError: as ``steps`` does, or if the seat or size is not allowed.
            ModuleNotFoundError: without Pillow.
        """
        draw = load_drawing().deal_picture
        for batch, trick in self._positions():
            yield draw(batch, 0, seat, size, self.names, trick)

    def render(
        self,
        after: int | None = None,
        *,
        seat: int | None = None,
        render_mode: str = "rgb_array",
        size: tuple[int, int] = FRAME_SIZE,
    ) -> Picture | str:
        """Draw one position as the environments do.

        Args:
            after: number of actions before the position; all by default.
            seat: draw only what this seat sees; by default draw both hands.
            render_mode: ``"rgb_array"`` for a picture, ``"ansi"`` for text.
            size: width and height of the picture in pixels, 120 to 8192 each.

        Returns:
            uint8[height, width, 3], or text.

        Raises:
            ValueError: as ``steps`` does, or if an argument is not allowed.
            ModuleNotFoundError: for a picture without Pillow.
        """
        check_render_mode(render_mode, ("rgb_array", "ansi"))
        batch, trick = self._position(len(self.actions) if after is None else after)
        if render_mode == "ansi":
            return deal_text(batch, 0, seat, names=self.names)
        picture: Picture = load_drawing().deal_picture(batch, 0, seat, size, self.names, trick)
        return picture

    def _position(self, after: int) -> tuple[DealBatch, Trick | None]:
        """Return the deal after some actions, and the last complete trick; after the last action, check the result."""
        last = len(self.actions)
        moves = whole_number("after", after, 0, last)
        for number, position in enumerate(self._positions()):
            found = position
            if number == moves < last:
                break
        return found

    def _positions(self) -> Iterator[tuple[DealBatch, Trick | None]]:
        """Replay action by action, and yield the deal and the last complete trick."""
        steps = self.steps()
        batch = next(steps)
        memory = TrickMemory(batch)
        yield batch, memory.trick
        for batch in steps:
            memory.update(batch)
            yield batch, memory.trick

    def _repr_html_(self) -> str:
        """Return HTML for a notebook: a picture of the cards as dealt, and the result."""
        cards = "own cards" if self.deal is None else "deal {1} of seed {0}".format(*self.deal)
        players = f"{self.names[0]} and {self.names[1]}, {rules_spec(self.rules)}, {cards}"
        text = html.escape(printable(f"{players}: margin {self.result.margin:+d} for {self.names[0]}"))
        try:
            picture: Any = self.render(0, size=_NOTEBOOK_SIZE)
        except ModuleNotFoundError:
            return f"<pre>{html.escape(str(self.render(0, render_mode='ansi')))}</pre><p>{text}</p>"
        file = base64.b64encode(load_drawing().png_bytes(picture, _NOTEBOOK_COLORS)).decode()
        return f'<img src="data:image/png;base64,{file}" alt="{text}"><p>{text}</p>'

    def _illegal(self, batch: DealBatch, move: int, action: int, legal: int) -> str:
        seat = int(batch.turn[0])
        word = action_text(action, self.rules) if 0 <= action < self.rules.num_actions else str(action)
        return (
            f"move {move}: seat {seat} ({self.names[seat]}) cannot play {word}: "
            f"it may play {actions_text(legal, self.rules)}"
        )


def _changes(rules: Rules) -> dict[str, Any]:
    """Return the fields that differ from the classic game."""
    classic = Rules().to_dict()
    return {key: value for key, value in rules.to_dict().items() if value != classic[key]}


def _text(given: Any, name: str) -> str:
    if not isinstance(given, str):
        raise ValueError(must_be(f"recording: {name}", "words separated by spaces", given))
    return given


def parse_actions(given: Any, rules: Rules) -> tuple[int, ...]:
    """Parse actions, words separated by spaces.

    Raises:
        ValueError: when a word is not an action of these rules; the message gives the number of the move.
    """
    actions = []
    for move, word in enumerate(_text(given, "actions").split(), 1):
        try:
            actions.append(parse_action(word, rules))
        except ValueError as error:
            raise ValueError(f"recording: move {move}: {error}") from None
    return tuple(actions)


def _is_count(given: Any) -> bool:
    return is_whole_number(given, -MAX_NUMBER, MAX_NUMBER)


def _is_number(given: Any) -> bool:
    return _is_count(given) or (isinstance(given, float) and abs(given) <= MAX_NUMBER)


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, (int, float)) else str([list(stage) for stage in value])


# Files


@contextmanager
def writing_recordings(path: str | Path) -> Iterator[Callable[[Recording], None]]:
    """Write recordings to a new file, which appears only when the ``with`` block has ended without an error.

    Args:
        path: the file.

    Yields:
        A function that adds a recording.

    Raises:
        ValueError: when the file cannot be written.
    """
    target = Path(path)
    if target.is_dir():
        raise ValueError(f"{path}: cannot be written: it is a folder")
    is_stream = target.exists() and not target.is_file()  # a pipe or /dev/null, which must not be replaced by a file
    temporary = target if is_stream else temporary_path(target)
    try:
        file = temporary.open("w", encoding="utf-8", newline="\n")
    except OSError as error:
        raise ValueError(f"{path}: cannot be written: {error.strerror}") from None
    try:
        with file:
            yield lambda recording: print(recording.to_line(), file=file)
            if not is_stream:
                file.flush()
                os.fsync(file.fileno())  # without it a power failure could leave an empty file under the new name
        if not is_stream:
            os.replace(temporary, target)
    except OSError as error:
        if error.errno is None:  # not an error of the file: a worker was lost while the games were played
            raise
        raise ValueError(f"{path}: cannot be written: {error.strerror}") from error
    finally:
        if not is_stream:
            temporary.unlink(missing_ok=True)


def read_recordings(path: str | Path, *, verify: bool = True) -> Iterator[Recording]:
    """Read the recordings of a file in order, skipping empty lines.

    Args:
        path: a file that ``german-whist evaluate --record FILE`` or ``play --record FILE`` has written.
        verify: replay each recording and check its result.

    Yields:
        One :class:`Recording` per recorded game.

    Raises:
        ValueError: when the file cannot be read, or at a line that is truncated, not a recording, or (with ``verify``)
            cannot be replayed; the message names the file and the line, counted from 1.
    """
    for number, text in _lines(path):
        if not text.strip():
            continue
        with at_line(path, number):
            recording = Recording.from_line(_decoded(text))
            if verify:
                recording.replay()
        yield recording


def read_recording(path: str | Path, line: int | None = None) -> tuple[int, Recording]:
    """Read one recording of a file, without replaying it.

    Args:
        path: the file.
        line: number of the line, from 1; by default that of the first recording.

    Returns:
        The number of the line, and the recording.

    Raises:
        ValueError: when the file cannot be read, has no such line, or the line is not a recording.
    """
    last = 0
    for last, text in _lines(path):
        if line == last or (line is None and text.strip()):
            with at_line(path, last):
                return last, Recording.from_line(_decoded(text))
    if line is None:
        raise ValueError(f"{path}: no recordings")
    raise ValueError(f"{path}: line {line} does not exist: the file has {count_text(last, 'line')}")


@contextmanager
def at_line(path: str | Path, number: int) -> Iterator[None]:
    """Prefix the message of a ``ValueError`` raised in the block with the file and the line.

    Raises:
        ValueError: when one is raised in the block.
    """
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{path}, line {number}: {error}") from None


def _lines(path: str | Path) -> Iterator[tuple[int, bytes]]:
    try:
        with Path(path).open("rb") as file:
            number = 0
            while line := file.readline(4 * MAX_LINE + 1):  # a character takes up to four bytes in UTF-8
                number += 1
                if len(line) > 4 * MAX_LINE:
                    raise ValueError(f"{path}, line {number}: recording: the line has more than {MAX_LINE} characters")
                yield number, line
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror}") from None


def _decoded(text: bytes) -> str:
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError("recording: not UTF-8 text") from None

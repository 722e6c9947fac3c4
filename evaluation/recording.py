"""Recordings: played deals as short lines of JSON, files of them, and their replay.

A file is JSON lines, one deal a line, so files are put together by concatenation. The fields of a line, in order:
``version``; ``rules``, the fields that differ from the classic game; ``deal``, the address [seed, index], or ``deck``,
the cards in dealing order; ``dealer``; ``names`` by seat; ``actions``, words separated by spaces; ``claimed``, where a
player ended the deal early, how many of them were played before; ``result`` with seat 0's ``margin`` and ``points`` and
the ``tricks`` of both stages by seat.
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
MAX_NUMBER = 2**31 - 1  # of tricks or points in a recording

_NOTEBOOK_SIZE, _NOTEBOOK_COLORS = (720, 480), 64
_REQUIRED = ("version", "rules", "dealer", "names", "actions", "result")
_KEYS = (*_REQUIRED[:2], "deal", "deck", *_REQUIRED[2:-1], "claimed", _REQUIRED[-1])
_RESULT_KEYS = ("margin", "points", "tricks")


@dataclasses.dataclass(frozen=True)
class DealResult:
    """Result of a finished deal.

    Attributes:
        margin: counted tricks, seat 0's minus seat 1's, with the sign reversed in a low game.
        points: points of seat 0 by the rules' own scoring; seat 1 has the negative.
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
        """Return the result in a line of JSON that has been parsed.

        Raises:
            ValueError: when it is none.
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
    """Return the results of all deals of a finished batch."""
    margins = batch.returns("margin")[:, 0].astype(int).tolist()
    points = batch.returns("points")[:, 0].tolist()
    tricks = [((a, b), (c, d)) for (a, b), (c, d) in batch.states["tricks"].tolist()]
    return [DealResult(*fields) for fields in zip(margins, points, tricks, strict=True)]


@dataclasses.dataclass(frozen=True)
class Recording:
    """One deal as it was played.

    Either ``deal`` or ``deck`` says which cards are dealt. ``to_line`` and ``from_line`` convert to and from a line of
    JSON; ``replay`` plays the deal again and checks it; ``render`` and ``frames`` draw it.

    Attributes:
        rules: the rules.
        dealer: the dealer's seat, 0 or 1.
        names: names of the players by seat.
        actions: every action in order: a card's number 0 … 51, or a choice from 52 on.
        result: the result.
        deal: the deal's address (seed, index), or ``None`` when ``deck`` is given.
        deck: the cards in dealing order, as numbers, or ``None`` when ``deal`` is given.
        claimed: how many actions were played before a player claimed or conceded the rest, which is best play of both
            then; ``None`` if all were.

    Raises:
        ValueError: when a field is not allowed. ``replay`` checks whether the actions are legal and lead to the result.
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
        """Check the fields, and take the integers of any library."""
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
        """Return the recording in a line that has been parsed.

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
        """Replay step by step: yield the ``DealBatch`` before the first action and, the same object, after each one.

        Raises:
            ValueError: at an illegal move, when the deal ends too early or too late, or when its result differs from
                the recorded one; the message names the move, counted from 1, and the reason.
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
        """Return what the seats that acted knew at each action, and the state at the end, a ``STATE`` record.

        Returns:
            A ``VIEW`` array of shape (n,) for n actions, their event histories (tokens int8[n, events, 4] and their
            numbers, int16[n]), and the state.

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
        """Play the deal again and return it finished, a ``DealBatch`` of one.

        Raises:
            ValueError: as ``steps`` does.
        """
        for batch in self.steps():
            last = batch
        return last

    def frames(self, *, seat: int | None = None, size: tuple[int, int] = FRAME_SIZE) -> Iterator[Picture]:
        """Yield every position as a picture, from the deal to the result, as for a video.

        Args:
            seat: draw only what this seat sees; by default both hands.
            size: width and height in pixels, 120 to 8192 each.

        Yields:
            A picture before the first action and after each one, uint8[height, width, 3].

        Raises:
            ValueError: as ``steps`` does, or if there is no such seat or size.
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
        """Return one position, as the environments draw it.

        Args:
            after: the number of actions before it; all by default.
            seat: draw only what this seat sees; by default both hands.
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
        """Return the deal after some actions, and the last complete trick; at the end, the result is checked."""
        last = len(self.actions)
        moves = whole_number("after", after, 0, last)
        for number, position in enumerate(self._positions()):
            found = position
            if number == moves < last:
                break
        return found

    def _positions(self) -> Iterator[tuple[DealBatch, Trick | None]]:
        """Replay step by step: yield the deal, and the last complete trick."""
        steps = self.steps()
        batch = next(steps)
        memory = TrickMemory(batch)
        yield batch, memory.trick
        for batch in steps:
            memory.update(batch)
            yield batch, memory.trick

    def _repr_html_(self) -> str:
        """Return the deal as a notebook shows it: the cards as they were dealt, and the result."""
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
    """Return actions from words separated by spaces.

    Raises:
        ValueError: when one is no action of these rules; the message names the move.
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
    """Yield a function that adds a recording to a new file; the file appears once all are written.

    Raises:
        ValueError: when it cannot be written.
    """
    target = Path(path)
    if target.is_dir():
        raise ValueError(f"{path}: cannot be written: it is a folder")
    is_stream = target.exists() and not target.is_file()  # as a pipe or /dev/null, which stays what it is
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
        if error.errno is None:  # not of the file: a worker that was lost while the games were played
            raise
        raise ValueError(f"{path}: cannot be written: {error.strerror}") from error
    finally:
        if not is_stream:
            temporary.unlink(missing_ok=True)


def read_recordings(path: str | Path, *, verify: bool = True) -> Iterator[Recording]:
    """Yield the recordings of a file in order; empty lines are skipped.

    Args:
        path: the file, as ``german-whist evaluate --record FILE`` or ``play --record FILE`` writes it.
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
    """Return a line, counted from 1, and the recording in it, without replaying it.

    Args:
        path: the file.
        line: the line; by default that of the first recording.

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
    """Prefix every ``ValueError`` raised inside with the file and the line.

    Raises:
        ValueError: when one is raised inside.
    """
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{path}, line {number}: {error}") from None


def _lines(path: str | Path) -> Iterator[tuple[int, bytes]]:
    try:
        with Path(path).open("rb") as file:
            number = 0
            while line := file.readline(4 * MAX_LINE + 1):  # a character of UTF-8 has up to four bytes
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

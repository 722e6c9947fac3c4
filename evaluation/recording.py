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

import dataclasses
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import numpy as np

from german_whist.envs.rendering.modes import FRAME_SIZE, Picture, RenderMode, check_render_mode
from german_whist.envs.rendering.renderer import load_drawing
from german_whist.envs.rendering.trick_memory import Trick, TrickMemory
from german_whist.game.actions import action_text, actions_text, parse_action
from german_whist.game.cards import deck_text, parse_deck
from german_whist.game.rules import Rules, rules_from_dict
from german_whist.game.utils.checks import check_int, check_seed
from german_whist.game.utils.files import rename_flushed, temporary_path
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.decisions import Decisions
from german_whist.simulator.text.deal_text import deal_text

VERSION = 1
_MAX_POINTS = 100  # the highest slam


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
    def create(cls, batch: DealBatch, row: int = 0) -> DealResult:
        """Return the result of one finished deal of a batch."""
        return deal_results(batch)[row]


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
        claimed: number of actions played before a player claimed or conceded the rest; nobody chose the other actions.
            ``None`` if all were played.

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
            raise ValueError(f"recording: exactly one of deal and deck is needed, got {self.deal} and {self.deck}")
        if self.deal is not None:
            seed, index = self.deal
            address = check_seed(seed, "recording: deal's seed"), check_seed(index, "recording: deal's index")
            object.__setattr__(self, "deal", address)
        if self.deck is not None:
            parse_deck(self.deck, self.rules.cards)
        if not "".join(self.names).isprintable():
            raise ValueError(f"recording: names must be printable, got {self.names}")
        object.__setattr__(self, "dealer", check_int("recording: dealer", self.dealer, 0, 1))
        if self.claimed is not None:
            claimed = check_int("recording: claimed", self.claimed, 0, len(self.actions) - 1)
            object.__setattr__(self, "claimed", claimed)

    def to_line(self) -> str:
        """Return the recording as one line of JSON, without a line break."""
        classic = Rules().to_dict()
        fields: dict[str, Any] = {
            "version": VERSION,
            "rules": {key: value for key, value in self.rules.to_dict().items() if value != classic[key]},
            "deal": self.deal,
            "deck": None if self.deck is None else deck_text(self.deck),
            "dealer": self.dealer,
            "names": self.names,
            "actions": " ".join(action_text(action, self.rules) for action in self.actions),
            "claimed": self.claimed,
            "result": dataclasses.asdict(self.result),
        }
        given = {key: value for key, value in fields.items() if value is not None}
        return json.dumps(given, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_line(cls, line: str) -> Recording:
        """Parse a line of JSON.

        Raises:
            ValueError: when the line is not a recording of this version.
        """
        try:
            fields = {"deal": None, "deck": None, "claimed": None, **json.loads(line)}
        except (ValueError, TypeError, RecursionError):
            raise ValueError(f"recording: not a JSON object: {line:.60}") from None
        match fields:
            case {
                "version": 1,
                "rules": dict(game),
                "deal": None | [int(), int()] as deal,
                "deck": None | str() as deck,
                "dealer": int(dealer),
                "names": [str(first), str(second)],
                "actions": str(actions),
                "claimed": None | int() as claimed,
                "result": {
                    "margin": int(margin),
                    "points": int() | float() as points,
                    "tricks": [[int(a), int(b)], [int(c), int(d)]],
                    **more,
                },
                **rest,
            } if not more and not rest:
                if not abs(points) <= _MAX_POINTS:  # or NaN
                    raise ValueError(f"recording: points must be from -{_MAX_POINTS} to {_MAX_POINTS}, got {points}")
                rules = rules_from_dict(game)
                return cls(
                    rules,
                    dealer,
                    (first, second),
                    tuple(parse_action(word, rules) for word in actions.split()),
                    DealResult(margin, float(points), ((a, b), (c, d))),
                    None if deal is None else (deal[0], deal[1]),
                    None if deck is None else tuple(parse_deck(deck, rules.cards)),
                    claimed,
                )
        raise ValueError(f"recording: not the fields of version {VERSION}: {line:.60}")

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
                recorded one.
        """
        batch = self.start()
        yield batch
        for move, action in enumerate(self.actions, 1):
            legal = 0 if batch.done[0] else int(batch.legal()[0])
            if not (0 <= action < self.rules.num_actions and legal >> action & 1):
                allowed = actions_text(legal, self.rules) if legal else "nothing, the deal is finished"
                raise ValueError(f"move {move}: action {action} is illegal: seat {batch.turn[0]} may play {allowed}")
            batch.step([action])
            yield batch
        if not batch.done[0]:
            raise ValueError(f"the deal is not finished after {len(self.actions)} moves")
        if DealResult.create(batch) != self.result:
            raise ValueError(f"the deal ends with {DealResult.create(batch)}, but {self.result} is recorded")

    def decisions(self) -> tuple[Decisions, np.void]:
        """Return the decision before each action, with its history, and the final state, a ``STATE`` record.

        Raises:
            ValueError: as ``steps`` does.
        """
        states = [batch.states[0].copy() for batch in self.steps()]
        past = DealBatch(self.rules, len(self.actions), history=True)
        assert past.log is not None  # histories are kept
        past.states[:] = states[:-1]
        past.log.actions[:, : len(self.actions)] = self.actions
        past.log.counts[:] = np.arange(len(self.actions))
        return past.decisions(), states[-1]

    def replay(self) -> DealBatch:
        """Play the deal again, check it, and return it finished, a ``DealBatch`` of one.

        Raises:
            ValueError: as ``steps`` does.
        """
        *_, last = self.steps()
        return last

    def frames(self, *, seat: Literal[0, 1] | None = None, size: tuple[int, int] = FRAME_SIZE) -> Iterator[Picture]:
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
        seat: Literal[0, 1] | None = None,
        render_mode: RenderMode = "rgb_array",
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
        last = len(self.actions)
        *_, (batch, trick) = islice(
            self._positions(), check_int("after", last if after is None else after, 0, last) + 1
        )
        if render_mode == "ansi":
            return deal_text(batch, 0, seat, names=self.names)
        picture: Picture = load_drawing().deal_picture(batch, 0, seat, size, self.names, trick)
        return picture

    def _positions(self) -> Iterator[tuple[DealBatch, Trick | None]]:
        """Replay action by action, and yield the deal and the last complete trick."""
        steps = self.steps()
        batch = next(steps)
        memory = TrickMemory(batch)
        yield batch, memory.trick
        for batch in steps:
            memory.update(batch)
            yield batch, memory.trick


@contextmanager
def writing_recordings(path: str | Path) -> Iterator[Callable[[Recording], None]]:
    """Write recordings to a new file, which appears only when the ``with`` block has ended without an error.

    Args:
        path: the file.

    Yields:
        A function that adds a recording.

    Raises:
        OSError: when the file cannot be written.
    """
    target = Path(path)
    is_stream = target.exists() and not target.is_file()  # a pipe or /dev/null, which must not be replaced by a file
    temporary = target if is_stream else temporary_path(target)
    try:
        with temporary.open("w", encoding="utf-8", newline="\n") as file:
            yield lambda recording: print(recording.to_line(), file=file)
        if not is_stream:
            rename_flushed(temporary, target)
    finally:
        if not is_stream:
            temporary.unlink(missing_ok=True)


def read_recordings(path: str | Path, *, line: int | None = None) -> Iterator[Recording]:
    """Read the recordings of a file in order, replay each and check its result.

    Args:
        path: a file that ``german-whist evaluate --record FILE`` has written.
        line: read only the recording in this line, counted from 1.

    Yields:
        One :class:`Recording` per recorded game.

    Raises:
        OSError: when the file cannot be read.
        ValueError: at a line that is not a recording or cannot be replayed; the message names the file and the line.
    """
    with open(path, encoding="utf-8", errors="replace") as file:
        for number, text in enumerate(file, 1):
            if text.isspace() or line not in (None, number):
                continue
            try:
                recording = Recording.from_line(text)
                recording.replay()
            except ValueError as error:
                raise ValueError(f"{path}, line {number}: {error}") from None
            yield recording

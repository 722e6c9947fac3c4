"""A deal as it was played, as one small line of JSON, and the same deal played again.

A line holds, in this order: ``version``; ``rules``, the fields that differ from the classic game; ``deal``, the address
[seed, index], or ``deck``, the cards in dealing order; ``dealer``; ``names`` by seat; ``actions``, words separated by
blanks; ``result`` with seat 0's ``margin`` and ``points`` and the ``tricks`` of both stages by seat.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from typing import Any

from german_whist.arena.strict_json import check_object, read_json
from german_whist.envs.engine.actions import action_text, actions_text, parse_action
from german_whist.envs.engine.cards import deck_text, parse_deck
from german_whist.envs.engine.rules import Rules, rules_from_dict
from german_whist.envs.simulator.batch import DealBatch
from german_whist.envs.utils.checks import check_seed

VERSION = 1

_REQUIRED = ("version", "rules", "dealer", "names", "actions", "result")
_KEYS = (*_REQUIRED[:2], "deal", "deck", *_REQUIRED[2:])
_RESULT_KEYS = ("margin", "points", "tricks")


@dataclasses.dataclass(frozen=True)
class Result:
    """What a finished deal came to.

    Attributes:
        margin: counted tricks, seat 0's minus seat 1's, with the sign turned in a low game.
        points: what the deal scores for seat 0 by its rules.
        tricks: of the foreplay and of the endgame, each by seat.
    """

    margin: int
    points: float
    tricks: tuple[tuple[int, int], tuple[int, int]]

    @classmethod
    def of(cls, batch: DealBatch, row: int = 0) -> Result:
        """Return the result of a finished deal of a batch."""
        return results(batch)[row]


def results(batch: DealBatch) -> list[Result]:
    """Return the results of all deals of a batch, which are finished."""
    margins = batch.returns("margin")[:, 0].astype(int).tolist()
    points = batch.returns("points")[:, 0].tolist()
    tricks = [((a, b), (c, d)) for (a, b), (c, d) in batch.states["tricks"].tolist()]
    return [Result(*fields) for fields in zip(margins, points, tricks, strict=True)]


@dataclasses.dataclass(frozen=True)
class Recording:
    """One deal as it was played.

    Attributes:
        rules: the game.
        dealer: seat.
        names: who played, by seat.
        actions: every action in order, by number.
        result: what the deal came to.
        deal: its address (seed, index), or ``None`` when ``deck`` gives the cards.
        deck: its cards in dealing order, as numbers, or ``None`` when ``deal`` says which.

    Raises:
        ValueError: when a field is not allowed. Whether the actions are legal and lead to the result is for ``replay``
            to find out.
    """

    rules: Rules
    dealer: int
    names: tuple[str, str]
    actions: tuple[int, ...]
    result: Result
    deal: tuple[int, int] | None = None
    deck: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse what is no recording."""
        if (self.deal is None) == (self.deck is None):
            raise ValueError("recording: either deal or deck says which cards are dealt: one of them is needed")
        if self.deal is not None:
            for name, number in zip(("seed", "index"), self.deal, strict=True):
                check_seed(number, f"recording: deal's {name}")
        if self.deck is not None:
            parse_deck(self.deck, self.rules.cards)
        if isinstance(self.dealer, bool) or self.dealer not in (0, 1):
            raise ValueError(f"recording: dealer {self.dealer!r:.60} is not allowed: 0 or 1")
        if len(self.names) != 2 or not all(
            isinstance(name, str) and name and name.isprintable() for name in self.names
        ):
            raise ValueError(
                f"recording: names {list(self.names)!r:.60} are not allowed: two words of printable letters"
            )

    def to_line(self) -> str:
        """Return the recording as one line of JSON, without a line break."""
        fields: dict[str, Any] = {"version": VERSION, "rules": _changes(self.rules)}
        if self.deal is not None:
            fields["deal"] = list(self.deal)
        if self.deck is not None:
            fields["deck"] = deck_text(self.deck)
        fields["dealer"] = self.dealer
        fields["names"] = list(self.names)
        fields["actions"] = " ".join(action_text(action, self.rules) for action in self.actions)
        fields["result"] = dataclasses.asdict(self.result)
        return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_line(cls, line: str) -> Recording:
        """Return the recording that a line of JSON holds.

        Raises:
            ValueError: when the line is cut, or is not a recording of this version.
        """
        fields = check_object(read_json(line, "recording"), "recording", _KEYS, _REQUIRED)
        if fields["version"] != VERSION or isinstance(fields["version"], bool):
            raise ValueError(f"recording: version {fields['version']!r:.60} is not known: {VERSION} is")
        game = rules_from_dict(check_object(fields["rules"], "recording: rules"))
        deal, deck, names = fields.get("deal"), fields.get("deck"), fields["names"]
        if deal is not None and not (isinstance(deal, list) and len(deal) == 2):
            raise ValueError(f"recording: deal {deal!r:.60} is not allowed: [seed, index] is needed")
        if not isinstance(names, list):
            raise ValueError(f"recording: names {names!r:.60} are not allowed: a list of two is needed")
        return cls(
            rules=game,
            dealer=fields["dealer"],
            names=tuple(names),
            actions=tuple(_actions(fields["actions"], game)),
            result=_result(fields["result"]),
            deal=None if deal is None else (deal[0], deal[1]),
            deck=None if deck is None else tuple(parse_deck(_text(deck, "deck"), game.cards)),
        )

    def start(self) -> DealBatch:
        """Return the deal as it was dealt, a batch of one."""
        deck = self.deck
        if self.deal is not None:
            seed, index = self.deal
            batch = DealBatch(self.rules, 1, seed, first=index)
            if index % 2 == self.dealer:
                return batch
            deck = batch.states["deck"][0, : len(self.rules.cards)].tolist()
        else:
            batch = DealBatch(self.rules, 1)
        assert deck is not None  # one of the two is given
        batch.deal_decks([deck], [self.dealer])
        return batch

    def steps(self) -> Iterator[DealBatch]:
        """Yield the deal as it was dealt, then the same batch after every action, and check the result at the end.

        Raises:
            ValueError: at a move that cannot be played, when the deal ends too early or too late, or when its result
                is not the recorded one; the message names the move, from 1, and the reason.
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
            raise ValueError(f"move {last + 1} is missing: the deal is not finished after {last} moves")
        played = Result.of(batch)
        for key in _RESULT_KEYS:
            if getattr(played, key) != getattr(self.result, key):
                raise ValueError(
                    f"the deal ends after move {last} with {key} {_plain(getattr(played, key))}, "
                    f"but {_plain(getattr(self.result, key))} is recorded"
                )

    def replay(self) -> DealBatch:
        """Play the deal again and return it finished, a batch of one.

        Raises:
            ValueError: as ``steps`` does.
        """
        for batch in self.steps():
            last = batch
        return last

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
        raise ValueError(f"recording: {name} {given!r:.60} is not allowed: words separated by blanks are needed")
    return given


def _actions(given: Any, game: Rules) -> Iterator[int]:
    for move, word in enumerate(_text(given, "actions").split(), 1):
        try:
            yield parse_action(word, game)
        except ValueError as error:
            raise ValueError(f"recording: move {move}: {error}") from None


def _result(given: Any) -> Result:
    fields = check_object(given, "recording: result", _RESULT_KEYS, _RESULT_KEYS)
    margin, points, tricks = (fields[key] for key in _RESULT_KEYS)
    if not _is_number(margin, whole=True):
        raise ValueError(f"recording: margin {margin!r:.60} is not allowed: a whole number is needed")
    if not _is_number(points):
        raise ValueError(f"recording: points {points!r:.60} is not allowed: a number is needed")
    try:
        (a, b), (c, d) = tricks
    except (TypeError, ValueError):
        a = b = c = d = None
    if not all(_is_number(number, whole=True) for number in (a, b, c, d)):
        raise ValueError(
            f"recording: tricks {tricks!r:.60} are not allowed: [[0, 0], [0, 0]] by stage and seat are needed"
        )
    return Result(margin, float(points), ((a, b), (c, d)))


def _is_number(given: Any, whole: bool = False) -> bool:
    if isinstance(given, bool) or not isinstance(given, (int, float)) or (whole and isinstance(given, float)):
        return False
    return abs(given) < 2**31


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, (int, float)) else str([list(stage) for stage in value])

"""Deals to share: recordings as text, and the same as a code that fits a link."""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from collections.abc import Sequence

from german_whist.envs.text.rules_text import rules_spec
from german_whist.envs.text.scene import YOU
from german_whist.envs.utils.specs import integers, must_be
from german_whist.evaluation.recording import Recording, parse_recordings
from german_whist.session.catalogue import agent_title, agents_for
from german_whist.session.deal.table_deal import TableDeal
from german_whist.session.game_session import FinishedDeal, Session, new_salt
from german_whist.session.settings import Settings

MAX_DEALS = 100
MAX_TEXT = 200_000  # letters of all recordings together

_CODE = re.compile(r"[A-Za-z0-9_-]+")
_DEFAULT_AGENT = "heuristic+exact"  # plays where the recorded player is a person or an unknown agent


def code_of(lines: str) -> str:
    """Return recordings as a code of letters, digits, ``-`` and ``_``: compressed, then base64 for addresses."""
    return base64.urlsafe_b64encode(zlib.compress(lines.encode(), 9)).decode().rstrip("=")


def lines_of(recordings: Sequence[Recording]) -> str:
    """Return recordings as lines of JSON that :func:`read_deals` takes.

    Raises:
        ValueError: if there are too many.
    """
    if len(recordings) > MAX_DEALS:
        raise ValueError(
            f"A game of {len(recordings)} deals cannot be shared as one, {MAX_DEALS} are the most: share single deals."
        )
    return "\n".join(recording.to_line() for recording in recordings)


def read_deals(text: str) -> list[Recording]:
    """Return recordings from lines of JSON or from a code, each replayed and checked.

    Raises:
        ValueError: if it is neither, or a recording is wrong.
    """
    text = text.strip()
    lines = _decoded(text) if _CODE.fullmatch(text) else text
    found = parse_recordings(lines)
    if not 1 <= len(found) <= MAX_DEALS:
        raise ValueError(must_be("the number of recordings", integers(1, MAX_DEALS), len(found)))
    for recording in found:
        recording.replay()
        if recording.rules != found[0].rules:
            raise ValueError("the recordings are of different games")
    return found


def _decoded(code: str) -> str:
    try:
        packed = base64.urlsafe_b64decode(code + "=" * (-len(code) % 4))
        inflater = zlib.decompressobj()
        text = inflater.decompress(packed, MAX_TEXT)
        if inflater.unconsumed_tail or not inflater.eof:
            raise ValueError(f"the code is damaged, or holds more than {MAX_TEXT} letters")
        return text.decode()
    except (binascii.Error, zlib.error, UnicodeDecodeError):
        raise ValueError("the text is neither a recording nor a code of one") from None


def open_recordings(recordings: Sequence[Recording], seat: int | None = None) -> Session:
    """Return a session that holds recorded deals, for review and for trying other cards.

    Args:
        recordings: deals of one game, in order. The players may change seats between them.
        seat: the seat of the person in the last one; by default that of the player named ``you``, else 0.

    Raises:
        ValueError: if the deals are of different players.
    """
    last = recordings[-1]
    if seat is None:
        seat = last.names.index("you") if "you" in last.names else 0
    opponent = last.names[1 - seat]
    plays = opponent in agents_for(last.rules)  # never a file that the recording names
    settings = Settings(
        rules=rules_spec(last.rules), agent=opponent if plays else _DEFAULT_AGENT, seat=seat, kind="recording"
    )
    deals = [_table_deal(recording, number, last.names) for number, recording in enumerate(recordings, 1)]
    session = Session(settings, None, deals[-1], _shown_name(opponent), _shown_name(last.names[seat]))
    session.finished = [FinishedDeal(deal, new_salt(), False, "") for deal in deals]
    session.salt = session.finished[-1].salt  # the last deal lies on the table, under one hash
    return session


def _shown_name(name: str) -> str:
    """Return what to call a recorded player; the person who recorded the deal is ``You`` from either seat."""
    return YOU if name == "you" else agent_title(name)


def _table_deal(recording: Recording, number: int, names: tuple[str, str]) -> TableDeal:
    """Return a recorded deal with its players on the seats of ``names``.

    Raises:
        ValueError: if they are others.
    """
    dealer = recording.dealer
    if recording.names == names[::-1] != names:
        dealer = 1 - dealer  # all else depends on who deals, so each player keeps cards and actions
    elif recording.names != names:
        theirs, others = (" and ".join(f"{name:.60}" for name in sorted(pair)) for pair in (recording.names, names))
        raise ValueError(f"recording {number}: {theirs} play it, but {others} the last one")
    deck = recording.start().states["deck"][0, : len(recording.rules.cards)].tolist()
    return TableDeal(recording.rules, deck, dealer, recording.actions)

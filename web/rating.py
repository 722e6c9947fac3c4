"""Ratings: par and accuracy of finished deals, worked out while nobody waits for the server.

A thread of low priority takes up deals that lack a rating, the last one first, and begins with none while a request is
being answered or has just been. Par is a play-out of one deal. Accuracy takes a review, which is kept for whoever asks
for it next; so only deals that end while the server runs are reviewed unasked.
"""

from __future__ import annotations

import datetime
import logging
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress

from german_whist.session.coach.reviews import par, review
from german_whist.session.database import NotReadError, NotSavedError
from german_whist.session.deal.table_deal import TableDeal
from german_whist.session.game_session import Session
from german_whist.session.statistics import Rating, Statistics
from german_whist.web import schema
from german_whist.web.requests import ApiError
from german_whist.web.store import Entry

PAR, ACCURACY = "par", "given_away"  # what of a rating says that it is known

_PAUSE = 0.1  # seconds between two looks at whether the server is idle
_NICENESS = 10  # of the thread, where the system gives threads their own

_LOG = logging.getLogger(__name__)


def review_json(session: Session, place: int, deal: TableDeal) -> schema.Review:
    """Return the review of a finished deal of a session as the page gets it."""
    return {
        "deal": place + 1,
        "rules": session.settings.rules,
        "agent": {"spec": session.settings.agent, "title": session.title},
        **review(deal, session.seat, session.names),
    }


def rating_of(review: schema.Review) -> Rating:
    """Return what a review says of the person's play, for the statistics."""
    return Rating(review["tricks_given_away"]["you"], review["tricks_at_stake"]["you"], review["par"]["margin"])


class Rater:
    """Rates the deals that the statistics have counted."""

    def __init__(
        self,
        open_session: Callable[[str], AbstractContextManager[Entry]],
        statistics: Statistics,
        is_idle: Callable[[], bool],
    ) -> None:
        """Set where deals and ratings are kept.

        Args:
            open_session: gives a session by its id; nobody else has it meanwhile.
            statistics: the statistics.
            is_idle: whether nobody waits for the server now.
        """
        self._open, self._statistics, self._is_idle = open_session, statistics, is_idle
        self._began = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        self._tried: set[tuple[str, str, int]] = set()
        self._wake = threading.Event()
        self._closed = False

    def start(self) -> None:
        """Rate deals in a thread from now on."""
        threading.Thread(target=self._run, daemon=True, name="rater").start()

    def wake(self) -> None:
        """Say that a deal has been counted."""
        self._wake.set()

    def close(self) -> None:
        """End the thread after the deal that it is at, which is not rated any more."""
        self._closed = True
        self._wake.set()

    def step(self) -> bool:
        """Rate one deal in one respect if the server is idle, and return whether something was done.

        A deal that cannot be rated is not tried again.
        """
        wanted = self._next()
        if wanted is None or not self._is_idle():
            return False
        self._tried.add(wanted)
        part, identifier, number = wanted
        try:
            self._rate(part, identifier, number - 1)
        except (ApiError, IndexError, ValueError, NotSavedError) as error:  # as when its session was deleted
            _LOG.info("%s of deal %d of %s: %s", part, number, identifier, error, exc_info=True)
        except Exception:  # the other deals are rated all the same
            _LOG.exception("%s of deal %d of %s failed", part, number, identifier)
        return True

    def _next(self) -> tuple[str, str, int] | None:
        for part, since in ((PAR, ""), (ACCURACY, self._began)):
            for identifier, number in self._statistics.missing(part, since):
                if (part, identifier, number) not in self._tried:
                    return part, identifier, number
        return None

    def _rate(self, part: str, identifier: str, place: int) -> None:
        with self._open(identifier) as entry:  # the table goes on while this thread thinks
            session, played = entry.session, entry.session.finished[place].deal
            known = entry.reviews.get(place)
        deal = TableDeal(played.rules, played.deck, played.dealer, played.actions)
        if part == PAR:
            margin = par(deal).result().margin
            if not self._closed:
                self._statistics.rate(identifier, place + 1, Rating(par=margin if session.seat == 0 else -margin))
            return
        reviewed = review_json(session, place, deal) if known is None else known
        if self._closed:
            return
        self._statistics.rate(identifier, place + 1, rating_of(reviewed))
        with self._open(identifier) as entry:
            entry.keep_review(place, reviewed)

    def _run(self) -> None:
        if sys.platform == "linux":
            with suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
        with suppress(NotReadError):  # the database has been closed
            while not self._closed:
                self._wake.clear()
                while not self._closed and self._next() is not None:
                    if not self.step():
                        time.sleep(_PAUSE)
                self._wake.wait()

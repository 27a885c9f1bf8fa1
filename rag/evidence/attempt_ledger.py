"""Counts how often a conversation has asked one question, so that an agent stops in time."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from threading import Lock

from rag.evidence.records import Attempt

MAX_SESSIONS = 1_000  # the least recently used goes first
WORDINGS_PER_SESSION = 32  # likewise
CHUNKS_PER_WORDING = 1_000  # five look-ups of the largest page; more means that evidence is new
# Where less than this share of what was searched was given, giving it twice is no accident.
TELLING_SHARE = 0.1
# Beyond this share of their terms two wordings are alike, whatever was given for them.
ALIKE = 0.5
# One piece may answer two questions that have no term in common; the same two seldom do.
LEAST_TELLING_CHUNKS = 2


@dataclass(slots=True, eq=False)
class _Wording:
    """One set of terms that was looked up: how often, and what was given for it."""

    terms: frozenset[str]
    given: set[str]
    times: int = 0


class AttemptLedger:
    """Remembers, per session, what was asked in which words and which chunks were given for it.

    An earlier look-up of the session counts as an attempt at the question asked now if it had the
    same terms; or if it gave all that is given now, and is about the same thing. It is

    - where more than half of the terms of the shorter wording stand in the other; or
    - where what is given is less than a tenth of what was searched, and the wordings share a term
      or at least two chunks are given.

    So a small base, which gives the same chunks to every question, is no reason to count: there
    the words alone tell. Each earlier look-up is held against this one by itself, so questions do
    not run into one another. Memory is bounded in every direction. Safe to use from several
    threads.
    """

    def __init__(self, *, max_attempts: int, max_sessions: int = MAX_SESSIONS) -> None:
        self._max_attempts = max_attempts
        self._max_sessions = max_sessions
        self._sessions: OrderedDict[str, OrderedDict[frozenset[str], _Wording]] = OrderedDict()
        self._lock = Lock()

    def record(
        self,
        session_id: str,
        terms: Iterable[str],
        chunk_ids: Collection[str],
        *,
        searched: int = 0,
    ) -> Attempt:
        """Count a look-up and return which attempt at its question it was.

        ``terms`` are the question's analysed terms without stop words, in any order; ``chunk_ids``
        what it gave. ``searched`` is how many chunks there were to choose from at least; 0 where
        nobody knows, so that the terms alone tell.
        """
        asked, given = frozenset(terms), frozenset(chunk_ids)
        with self._lock:
            wordings = self._sessions.setdefault(session_id, OrderedDict())
            self._sessions.move_to_end(session_id)
            while len(self._sessions) > self._max_sessions:
                self._sessions.popitem(last=False)
            telling = 0 < len(given) < TELLING_SHARE * searched
            earlier = [one for one in wordings.values() if _same(one, asked, given, telling)]
            seen = frozenset[str]().union(*(one.given for one in earlier))
            number = 1 + sum(one.times for one in earlier)
            own = wordings.setdefault(asked, _Wording(asked, set()))
            wordings.move_to_end(asked)
            own.times += 1
            if len(own.given) < CHUNKS_PER_WORDING:
                own.given |= given
            while len(wordings) > WORDINGS_PER_SESSION:
                wordings.popitem(last=False)
        return self.explicit(number, seen, given)

    def explicit(
        self, number: int, seen_chunk_ids: Collection[str], chunk_ids: Collection[str]
    ) -> Attempt:
        """Return the attempt of a caller that keeps count itself; nothing is remembered."""
        seen, given = frozenset(seen_chunk_ids), frozenset(chunk_ids)
        return Attempt(
            number=number,
            returned=len(given),
            new=len(given - seen),
            left=max(0, self._max_attempts - number),
        )


def _same(earlier: _Wording, asked: frozenset[str], given: frozenset[str], telling: bool) -> bool:
    """Whether an earlier wording is of the question asked now; ``telling`` is of what it gives."""
    if earlier.terms == asked:
        return True
    if not given <= earlier.given or bool(given) != bool(earlier.given):
        return False
    shared = len(earlier.terms & asked)
    if shared > ALIKE * min(len(earlier.terms), len(asked)):
        return True
    return telling and (shared > 0 or len(given) >= LEAST_TELLING_CHUNKS)

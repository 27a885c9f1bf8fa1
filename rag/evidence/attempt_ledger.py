"""Counts how often a conversation has asked one question, so that an agent stops in time."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from itertools import count
from threading import Lock

from rag.evidence.records import Attempt

MAX_SESSIONS = 1_000  # the least recently used goes first
WORDINGS_PER_SESSION = 32  # likewise
CALLS_PER_WORDING = 256  # more change nothing: the advice is to stop long before
CHUNKS_PER_WORDING = 1_000  # five look-ups of the largest page; more means that evidence is new
# Where less than this share of what was searched was given, giving it twice is no accident.
TELLING_SHARE = 0.1
# Beyond this share of their terms two wordings are alike, whatever was given for them.
ALIKE = 0.5
# One piece may answer two questions that have no term in common; the same two seldom do.
LEAST_TELLING_CHUNKS = 2


@dataclass(slots=True, eq=False)
class _Wording:
    """One set of terms: in which calls it was looked up, and what was given for it."""

    terms: frozenset[str]
    calls: set[int] = field(default_factory=set)
    given: set[str] = field(default_factory=set)


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
        self._calls = count()

    def begin_call(self) -> int:
        """Return a name for a call that asks several questions together."""
        return next(self._calls)

    def record(
        self,
        session_id: str,
        terms: Iterable[str],
        chunk_ids: Collection[str],
        *,
        searched: int = 0,
        call: int | None = None,
    ) -> Attempt:
        """Count a look-up and return which attempt at its question it was.

        ``terms`` are the question's analysed terms without stop words, in any order; ``chunk_ids``
        what it gave. ``searched`` is how many chunks there were to choose from at least; 0 where
        nobody knows, so that the terms alone tell. Look-ups of one ``call``, a batch, are asked
        before any of them is answered: none is an attempt at another, and later they count once.
        """
        asked, given = frozenset(terms), frozenset(chunk_ids)
        with self._lock:
            wordings = self._sessions.setdefault(session_id, OrderedDict())
            self._sessions.move_to_end(session_id)
            while len(self._sessions) > self._max_sessions:
                self._sessions.popitem(last=False)
            telling = 0 < len(given) < TELLING_SHARE * searched
            call = self.begin_call() if call is None else call
            earlier = [
                one
                for one in wordings.values()
                if one.calls - {call} and _same(one, asked, given, telling)
            ]
            seen = frozenset[str]().union(*(one.given for one in earlier))
            calls = frozenset[int]().union(*(one.calls for one in earlier)) - {call}
            own = wordings.setdefault(asked, _Wording(asked))
            wordings.move_to_end(asked)
            if len(own.calls) < CALLS_PER_WORDING:
                own.calls.add(call)
            if len(own.given) < CHUNKS_PER_WORDING:
                own.given |= given
            while len(wordings) > WORDINGS_PER_SESSION:
                wordings.popitem(last=False)
        return self.explicit(1 + len(calls), seen, given)

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

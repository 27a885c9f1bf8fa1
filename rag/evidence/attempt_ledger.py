"""Counts how often a conversation has asked one question, so that an agent stops in time."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from threading import Lock

from rag.evidence.records import Attempt

MAX_SESSIONS = 1_000  # the least recently used goes first
QUESTIONS_PER_SESSION = 16  # likewise
WORDINGS_PER_QUESTION = 16
CHUNKS_PER_QUESTION = 2_000  # ten look-ups of the largest page; more means that evidence is new


@dataclass(slots=True, eq=False)
class _Question:
    wordings: deque[frozenset[str]] = field(
        default_factory=lambda: deque(maxlen=WORDINGS_PER_QUESTION)
    )
    seen: set[str] = field(default_factory=set)
    attempts: int = 0


class AttemptLedger:
    """Remembers, per session, which questions were asked and which chunks were given for them.

    A look-up is a further attempt at a question if it has the same terms, or if it gives chunks
    all of which were given for that question before (a paraphrase that leads nowhere new), or if
    it gives nothing right after a look-up that gave nothing. Anything else is a new question.
    Memory is bounded in every direction. Safe to use from several threads.
    """

    def __init__(self, *, max_attempts: int, max_sessions: int = MAX_SESSIONS) -> None:
        self._max_attempts = max_attempts
        self._max_sessions = max_sessions
        self._sessions: OrderedDict[str, deque[_Question]] = OrderedDict()
        self._lock = Lock()

    def record(self, session_id: str, terms: Iterable[str], chunk_ids: Collection[str]) -> Attempt:
        """Count a look-up and return which attempt at which outcome it was.

        ``terms`` are the question's analysed terms, in any order; ``chunk_ids`` what it gave.
        """
        wording, given = frozenset(terms), frozenset(chunk_ids)
        with self._lock:
            questions = self._sessions.setdefault(session_id, deque(maxlen=QUESTIONS_PER_SESSION))
            self._sessions.move_to_end(session_id)
            while len(self._sessions) > self._max_sessions:
                self._sessions.popitem(last=False)
            question = _same_question(questions, wording, given)
            if question is None:
                question = _Question()
            else:
                questions.remove(question)
            questions.append(question)  # the last is the one asked last
            attempt = self.explicit(question.attempts + 1, question.seen, given)
            question.attempts = attempt.number
            if wording not in question.wordings:
                question.wordings.append(wording)
            if len(question.seen) < CHUNKS_PER_QUESTION:
                question.seen |= given
            return attempt

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


def _same_question(
    questions: deque[_Question], wording: frozenset[str], given: frozenset[str]
) -> _Question | None:
    for question in reversed(questions):
        if wording in question.wordings:
            return question
    if not given:
        last = questions[-1] if questions else None
        return last if last is not None and not last.seen else None
    for question in reversed(questions):
        if given <= question.seen:
            return question
    return None

"""What the evaluation room takes: labelled questions, and what a base said to each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from rag.answerability import ChannelLists


class Construction(StrEnum):
    """Where a question comes from, and so whether the base answers it.

    ``answerable``: its relevant documents are in the base. The others are not answered:
    ``cross`` questions belong to another collection; ``removed`` are answerable ones whose
    relevant documents are taken out of both rankings; ``given`` ones were labelled unanswerable.
    """

    ANSWERABLE = "answerable"
    CROSS = "cross"
    REMOVED = "removed"
    GIVEN = "given"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A labelled question; ``relevant`` maps a document's path to its grade, above 0.

    ``spans`` narrows a relevant document to lines (first, last) where only those answer.
    """

    question_id: str
    text: str
    construction: Construction
    relevant: Mapping[str, int] = field(default_factory=dict)
    spans: Mapping[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionSet:
    """Labelled questions under a name; ``corpus`` is the BEIR folder they came with, if any."""

    name: str
    questions: tuple[Question, ...]
    corpus: Path | None = None

    def of(self, construction: Construction) -> tuple[Question, ...]:
        """Return the questions of one construction."""
        return tuple(one for one in self.questions if one.construction is construction)


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What the channels said to one question.

    ``documents`` maps every chunk of the lists to its document's path; ``relevant_chunks`` are
    the chunks that answer.
    """

    question: Question
    lists: ChannelLists
    documents: Mapping[str, str]
    relevant_chunks: frozenset[str] = frozenset()
    took_ms: float = 0.0
    embed_ms: float = 0.0

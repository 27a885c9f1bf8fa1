"""Reads labelled questions over a user's own base: one JSON object a line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rag.errors import InvalidArgumentError
from rag.evaluation.beir_folder import sampled
from rag.evaluation.json_lines import json_lines
from rag.evaluation.records import Construction, Question, QuestionSet
from rag.platform.at_path import at_path

FIELDS = ("question", "relevant", "answerable", "id")
_ALLOWED = (
    '{"question": "…", "relevant": ["path" or "path#L3-L9", …]}, or '
    '{"question": "…", "answerable": false}'
)
_SPAN = re.compile(r"#L(\d+)(?:-L(\d+))?$")


def read_golden_file(path: Path, *, most: int | None = None) -> QuestionSet:
    """Return the questions of a golden file.

    ``relevant`` lists documents by path, each narrowed to lines where ``#L3-L9`` follows, or an
    object from such names to grades. A question with ``answerable`` false is one that the base
    does not answer, and has no ``relevant``. ``most`` bounds the questions of each kind by a
    seeded sample.

    Raises:
        InvalidArgumentError: the file cannot be read, is empty, or a line of it is no question.
    """
    found = at_path(path)
    if not found.is_file:
        raise InvalidArgumentError(
            f"no golden file at {path!s:.200}" + (f": {found.fault}" if found.fault else ""),
            given=str(path),
            allowed=f"a file with one object a line: {_ALLOWED}",
            hint="draft one with: rag calibrate --suggest 60",
        )
    questions = tuple(
        _question(line.record, f"{path}, question {number}", str(number))
        for number, line in enumerate(json_lines(path), 1)
    )
    if not questions:
        raise InvalidArgumentError(
            f"{path} holds no question",
            given=str(path),
            allowed=_ALLOWED,
            hint="draft some with: rag calibrate --suggest 60",
        )
    ids = [one.question_id for one in questions]
    if len(set(ids)) < len(ids):
        twice = next(one for one in ids if ids.count(one) > 1)
        raise InvalidArgumentError(
            f"{path} has two questions with the id {twice!r}",
            given=twice,
            allowed="an id of its own for each question, or none",
            hint="rename one of them, or leave ids out",
        )
    kept = {
        one.question_id
        for kind in (Construction.ANSWERABLE, Construction.GIVEN)
        for one in sampled([one for one in questions if one.construction is kind], most)
    }
    return QuestionSet(
        name=path.stem, questions=tuple(one for one in questions if one.question_id in kept)
    )


def _question(record: Mapping[str, Any], where: str, number: str) -> Question:
    unknown = [name for name in record if name not in FIELDS]
    if unknown:
        names = ", ".join(FIELDS)
        raise _fault(where, f"unknown key {unknown[0]!r}; expected one of: {names}", unknown[0])
    text, relevant = record.get("question"), record.get("relevant", [])
    if not isinstance(text, str) or not text.strip():
        raise _fault(where, "no question", text)
    answerable = record.get("answerable", True)
    if not isinstance(answerable, bool):
        raise _fault(where, "answerable must be true or false", answerable)
    if isinstance(relevant, list):
        relevant = dict.fromkeys(relevant, 1) if all(isinstance(r, str) for r in relevant) else None
    if not isinstance(relevant, dict) or not all(
        type(grade) is int and grade > 0 for grade in relevant.values()
    ):
        raise _fault(where, "relevant must list paths, or give each a grade above 0", relevant)
    if answerable is not bool(relevant):
        missing = "an answerable question needs relevant documents; give none with answerable false"
        raise _fault(where, missing, text)
    grades: dict[str, int] = {}
    spans: dict[str, tuple[int, int]] = {}
    for name, grade in relevant.items():
        span = _SPAN.search(name)
        path = name[: span.start()] if span else name
        grades[path] = max(grade, grades.get(path, 0))
        if span:
            first, last = int(span[1]), int(span[2] or span[1])
            known = spans.get(path, (first, last))
            spans[path] = (min(first, known[0]), max(last, known[1]))
    return Question(
        question_id=str(record.get("id", number)),
        text=text,
        construction=Construction.ANSWERABLE if answerable else Construction.GIVEN,
        relevant=grades,
        spans=spans,
    )


def _fault(where: str, why: str, given: object) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"{where}: {why}", given=given, allowed=_ALLOWED, hint="correct that line"
    )

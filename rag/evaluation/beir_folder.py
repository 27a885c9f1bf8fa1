"""Reads a collection in BEIR format, and lays its corpus out as a folder of Markdown files."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rag.errors import InvalidArgumentError
from rag.evaluation.records import Construction, Question, QuestionSet

CORPUS, QUERIES, UNANSWERABLE = "corpus.jsonl", "queries.jsonl", "queries-unanswerable.jsonl"
SEED = 7  # samples are the same on every run and machine
_ALLOWED = f"a folder with {CORPUS}, {QUERIES} and qrels/*.tsv"


def is_beir_folder(folder: Path) -> bool:
    """Whether a path is a folder in BEIR format."""
    return (folder / CORPUS).is_file() and (folder / QUERIES).is_file()


def read_beir_folder(
    folder: Path, *, most: int | None = None, qrels: str | None = None
) -> QuestionSet:
    """Return the questions of a collection, judged by every file of ``qrels/`` or one of them.

    A document's path is :func:`document_path` of its place in the corpus. ``most`` bounds the
    questions of each kind by a seeded sample; a question without a relevant document is left out.

    Raises:
        InvalidArgumentError: the folder is none, or a line of it cannot be read.
    """
    if not is_beir_folder(folder):
        raise InvalidArgumentError(
            f"{folder} is no collection in BEIR format", given=str(folder), allowed=_ALLOWED
        )
    paths = {
        str(document["_id"]): document_path(place)
        for place, document in enumerate(json_lines(folder / CORPUS))
    }
    judged = _judgements(folder, qrels)
    answerable = [
        Question(
            question_id=str(one["_id"]),
            text=str(one["text"]),
            construction=Construction.ANSWERABLE,
            relevant=relevant,
        )
        for one in json_lines(folder / QUERIES)
        if (
            relevant := {
                paths[document]: grade
                for document, grade in judged.get(str(one["_id"]), {}).items()
                if grade > 0 and document in paths
            }
        )
    ]
    if not answerable:
        raise InvalidArgumentError(
            f"no query of {folder} has a relevant document", given=str(folder), allowed=_ALLOWED
        )
    given: list[Question] = []
    if (folder / UNANSWERABLE).is_file():
        given = [
            Question(
                question_id=str(one["_id"]), text=str(one["text"]), construction=Construction.GIVEN
            )
            for one in json_lines(folder / UNANSWERABLE)
        ]
    return QuestionSet(
        name=folder.resolve().name,
        questions=(*sampled(answerable, most), *sampled(given, most)),
        corpus=folder,
    )


def sampled(questions: list[Question], most: int | None) -> list[Question]:
    """Return at most ``most`` of the questions, the same ones every time."""
    if most is None or len(questions) <= most:
        return questions
    ordered = sorted(questions, key=lambda one: one.question_id)
    return random.Random(SEED).sample(ordered, most)


def document_path(place: int) -> str:
    """Return the path of the document at a place of the corpus, from 0."""
    return f"{place:06}.md"


def write_corpus(folder: Path, target: Path) -> int:
    """Write each document of a collection to ``target`` as Markdown; return how many."""
    target.mkdir(parents=True, exist_ok=True)
    count = 0
    for place, document in enumerate(json_lines(folder / CORPUS)):
        title = " ".join(str(document.get("title") or "").split())
        heading = f"# {title}\n\n" if title else ""
        text = f"{heading}{document['text']}\n"
        (target / document_path(place)).write_text(text, encoding="utf-8", errors="replace")
        count += 1
    return count


def json_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a JSON Lines file; InvalidArgumentError where a line is none."""
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except ValueError as error:
                raise _bad_line(path, number, str(error)) from None
            if not isinstance(record, dict):
                raise _bad_line(path, number, "it is no object")
            yield record


def _bad_line(path: Path, number: int, why: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"{path}, line {number}, cannot be read: {why}",
        given=f"{path}:{number}",
        allowed="one JSON object a line",
    )


def _judgements(folder: Path, name: str | None) -> Mapping[str, dict[str, int]]:
    tables = sorted((folder / "qrels").glob(f"{name}.tsv" if name else "*.tsv"))
    judged: dict[str, dict[str, int]] = {}
    for table in tables:
        with table.open(encoding="utf-8", newline="") as rows:
            for number, row in enumerate(csv.DictReader(rows, delimiter="\t"), 2):
                try:
                    query, document = row["query-id"], row["corpus-id"]
                    judged.setdefault(query, {})[document] = int(row["score"])
                except (KeyError, TypeError, ValueError):
                    raise InvalidArgumentError(
                        f"{table}, line {number}, is no judgement",
                        given=f"{table}:{number}",
                        allowed="columns query-id, corpus-id, score, separated by tabs",
                    ) from None
    return judged

"""Reads a collection in BEIR format, and lays its corpus out as a folder of Markdown files."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Mapping
from pathlib import Path

from rag.errors import InvalidArgumentError
from rag.evaluation.json_lines import json_lines, read_text
from rag.evaluation.records import Construction, Question, QuestionSet
from rag.platform.at_path import at_path

CORPUS, QUERIES, UNANSWERABLE = "corpus.jsonl", "queries.jsonl", "queries-unanswerable.jsonl"
SEED = 7  # samples are the same on every run and machine
_ALLOWED = f"a folder with {CORPUS}, {QUERIES} and qrels/*.tsv"


def is_beir_folder(folder: Path) -> bool:
    """Whether a path is a folder in BEIR format."""
    return at_path(folder / CORPUS).is_file and at_path(folder / QUERIES).is_file


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
            f"{folder} is no collection in BEIR format",
            given=str(folder),
            allowed=_ALLOWED,
            hint="for questions over your own base give a golden file instead",
        )
    paths = {
        document.text("_id"): document_path(place)
        for place, document in enumerate(json_lines(folder / CORPUS))
    }
    judged = _judgements(folder, qrels)
    answerable = [
        Question(
            question_id=one.text("_id"),
            text=one.text("text"),
            construction=Construction.ANSWERABLE,
            relevant=relevant,
        )
        for one in json_lines(folder / QUERIES)
        if (
            relevant := {
                paths[document]: grade
                for document, grade in judged.get(one.text("_id"), {}).items()
                if grade > 0 and document in paths
            }
        )
    ]
    if not answerable:
        raise InvalidArgumentError(
            f"no query of {folder} has a relevant document",
            given=str(folder),
            allowed=_ALLOWED,
            hint="check that the ids in qrels/ are those of the corpus and the queries",
        )
    given: list[Question] = []
    if at_path(folder / UNANSWERABLE).is_file:
        given = [
            Question(
                question_id=one.text("_id"), text=one.text("text"), construction=Construction.GIVEN
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
    """Write each document of a collection to ``target`` as Markdown; return how many.

    Raises:
        InvalidArgumentError: the corpus cannot be read, or ``target`` not be written.
    """
    try:
        return _write_corpus(folder, target)
    except (OSError, ValueError) as error:
        raise InvalidArgumentError(
            f"cannot write to {target!s:.200}: {getattr(error, 'strerror', None) or error}",
            given=str(target),
            allowed="a folder that can be written",
            hint="check the path, its permissions and the room on its disk",
        ) from None


def _write_corpus(folder: Path, target: Path) -> int:
    target.mkdir(parents=True, exist_ok=True)
    count = 0
    for place, document in enumerate(json_lines(folder / CORPUS)):
        title = " ".join(str(document.record.get("title") or "").split())
        heading = f"# {title}\n\n" if title else ""
        text = f"{heading}{document.text('text')}\n"
        (target / document_path(place)).write_text(text, encoding="utf-8", errors="replace")
        count += 1
    return count


def _judgements(folder: Path, name: str | None) -> Mapping[str, dict[str, int]]:
    tables = sorted((folder / "qrels").glob(f"{name}.tsv" if name else "*.tsv"))
    judged: dict[str, dict[str, int]] = {}
    for table in tables:
        rows = csv.DictReader(io.StringIO(read_text(table), newline=""), delimiter="\t")
        try:
            for row in rows:
                query, document = row["query-id"], row["corpus-id"]
                judged.setdefault(query, {})[document] = int(row["score"])
        except (KeyError, TypeError, ValueError, csv.Error):  # csv's own is of a field too long
            raise InvalidArgumentError(
                f"{table}, line {rows.line_num}, is no judgement",
                given=f"{table}:{rows.line_num}",
                allowed="columns query-id, corpus-id, score, separated by tabs",
                hint="correct that line; the first line names the columns",
            ) from None
    return judged

"""Observations and a small collection that the evaluation tests are written with."""

from __future__ import annotations

import json
from pathlib import Path

from rag.evaluation.records import Construction, Observation, Question
from tests.answerability.lists import lists, ranking, report


def observation(
    name: str,
    lexical: tuple[str, ...] | None,
    vector: tuple[str, ...] | None,
    relevant: str | None = None,
    kind: Construction = Construction.ANSWERABLE,
) -> Observation:
    """Each chunk is a document of its own; scores fall from 10 and from 0.9 by equal steps."""
    words = cosines = None
    if lexical is not None:
        words = ranking(*((chunk, 10.0 - at) for at, chunk in enumerate(lexical)))
    if vector is not None:
        cosines = ranking(*((chunk, 0.9 - at / 9) for at, chunk in enumerate(vector)))
    found = {*(lexical or ()), *(vector or ())}
    return Observation(
        question=Question(
            question_id=name,
            text=f"question {name}",
            construction=kind,
            relevant={relevant: 1} if relevant else {},
        ),
        lists=lists(words, cosines, None if words is None else report([(3, 2.0)], [1, 1, 0])),
        documents={chunk: chunk for chunk in found},
        relevant_chunks=frozenset({relevant}) if relevant else frozenset(),
    )


def write_beir(folder: Path, topics: dict[str, str], *, unanswerable: tuple[str, ...] = ()) -> Path:
    """A BEIR folder with one document per topic, and one query per document: its first words."""
    (folder / "qrels").mkdir(parents=True)
    _lines(
        folder / "corpus.jsonl",
        [{"_id": key, "title": key, "text": text} for key, text in topics.items()],
    )
    _lines(
        folder / "queries.jsonl",
        [{"_id": f"q-{key}", "text": " ".join(text.split()[:5])} for key, text in topics.items()],
    )
    table = "".join(f"q-{key}\t{key}\t1\n" for key in topics)
    (folder / "qrels" / "test.tsv").write_text(f"query-id\tcorpus-id\tscore\n{table}", "utf-8")
    if unanswerable:
        _lines(
            folder / "queries-unanswerable.jsonl",
            [{"_id": f"u{at}", "text": text} for at, text in enumerate(unanswerable)],
        )
    return folder


def _lines(path: Path, records: list[dict[str, str]]) -> None:
    text = "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records)
    path.write_text(text, encoding="utf-8")

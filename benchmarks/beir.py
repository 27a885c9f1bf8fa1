"""Reads a collection in BEIR format and lays it out as a folder of Markdown files."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """Queries by id, judgements by query id and document id, and the folder they came from."""

    name: str
    folder: Path
    queries: dict[str, str]
    qrels: dict[str, dict[str, int]]

    def corpus(self) -> Iterator[dict[str, Any]]:
        """Yield the documents: ``_id``, ``title``, ``text``."""
        yield from json_lines(self.folder / "corpus.jsonl")


def json_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a JSON Lines file."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def load_collection(folder: Path) -> Collection:
    """Read ``queries.jsonl`` and every file of ``qrels/`` of a collection."""
    qrels: dict[str, dict[str, int]] = {}
    with (folder / "qrels" / "test.tsv").open(encoding="utf-8") as table:
        for row in csv.DictReader(table, delimiter="\t"):
            qrels.setdefault(row["query-id"], {})[row["corpus-id"]] = int(row["score"])
    queries = {one["_id"]: one["text"] for one in json_lines(folder / "queries.jsonl")}
    return Collection(
        name=folder.name,
        folder=folder,
        queries={key: text for key, text in queries.items() if key in qrels},
        qrels=qrels,
    )


def write_as_files(collection: Collection, target: Path) -> dict[str, str]:
    """Write each document to ``target`` as a Markdown file; return ids by file name."""
    target.mkdir(parents=True, exist_ok=True)
    ids: dict[str, str] = {}
    for number, document in enumerate(collection.corpus()):
        name = f"{number:06}.md"
        ids[name] = document["_id"]
        title = " ".join(document.get("title", "").split())
        heading = f"# {title}\n\n" if title else ""
        (target / name).write_text(f"{heading}{document['text']}\n", encoding="utf-8")
    return ids

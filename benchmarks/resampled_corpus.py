"""A corpus of any size from real sentences: documents of ten chunks of about 100 words.

How it is made: the English collections of a datasets folder are cut into sentences. Each
synthetic document follows one real passage's collection: a chunk takes a run of one to four
neighbouring sentences at a random place, then another run, until it has about 100 words. So the
words of a sentence, their frequencies and what stands beside what are real; a document as a
whole is not. The same seed gives the same corpus.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

from rag.ingest.index_text import index_hash
from rag.ingest.records import Chunk, Document, Media, Span

COLLECTIONS = ("scifact", "squad2-a", "aws-docs-a")
CHUNK_WORDS = 100
CHUNKS_PER_DOCUMENT = 10
ID_FACTOR = 0x9E3779B97F4A7C15F39CC0605CEDC835  # odd, so that ids are distinct and in no order
SEED = 20_260_131
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_LEAST_WORDS = 4  # shorter pieces are headings and table cells


def sentences(datasets: Path) -> list[list[str]]:
    """Return the sentences of each collection, in order."""
    found = []
    for name in COLLECTIONS:
        of_collection: list[str] = []
        with (datasets / name / "corpus.jsonl").open(encoding="utf-8") as lines:
            for line in lines:
                pieces = _SENTENCE_END.split(json.loads(line)["text"])
                of_collection += [p.strip() for p in pieces if len(p.split()) >= _LEAST_WORDS]
        found.append(of_collection)
    return found


def questions(datasets: Path, count: int, *, seed: int = SEED) -> list[str]:
    """Return natural-language questions of the same collections, shuffled."""
    found: list[str] = []
    for name in COLLECTIONS:
        with (datasets / name / "queries.jsonl").open(encoding="utf-8") as lines:
            found += [json.loads(line)["text"] for line in lines]
    random.Random(seed).shuffle(found)
    return found[:count]


def documents(
    datasets: Path, chunk_count: int, *, seed: int = SEED
) -> Iterator[tuple[Document, list[Chunk]]]:
    """Yield documents with together ``chunk_count`` chunks."""
    random_ = random.Random(seed)
    collections = sentences(datasets)
    weights = [len(one) for one in collections]
    for number in range(-(-chunk_count // CHUNKS_PER_DOCUMENT)):
        source = random_.choices(collections, weights)[0]
        size = min(CHUNKS_PER_DOCUMENT, chunk_count - number * CHUNKS_PER_DOCUMENT)
        yield _document(number, [_chunk_text(source, random_) for _ in range(size)])


def _chunk_text(source: list[str], random_: random.Random) -> str:
    words = 0
    runs = []
    while words < CHUNK_WORDS:
        start = random_.randrange(len(source))
        run = source[start : start + random_.randint(1, 4)]
        runs += run
        words += sum(len(sentence.split()) for sentence in run)
    return " ".join(runs)[: CHUNK_WORDS * 8] + "\n"


def _document(number: int, texts: list[str]) -> tuple[Document, list[Chunk]]:
    doc_id = f"{number:032x}"
    title = " ".join(texts[0].split()[:6])
    chunks = []
    start = 0
    for ordinal, text in enumerate(texts):
        place = number * CHUNKS_PER_DOCUMENT + ordinal
        chunks.append(
            Chunk(
                chunk_id=f"{place * ID_FACTOR % 2**128:032x}",
                doc_id=doc_id,
                ordinal=ordinal,
                text=text,
                heading_path=(title,),
                span=Span(kind="line", start=ordinal + 1, end=ordinal + 1),
                char_start=start,
                char_end=start + len(text),
                content_hash=index_hash(title, (title,), text),
            )
        )
        start += len(text)
    document = Document(
        doc_id=doc_id,
        uri=f"part-{number // 1000:03d}/{number:06d}.md",
        title=title,
        media=Media.MARKDOWN,
        content_hash=chunks[0].content_hash,
        chunk_count=len(chunks),
        byte_size=start,
        indexed_at="2026-01-31T00:00:00+00:00",
        language="en",
        tags=("even",) if number % 2 == 0 else ("odd",),
        source=f"source-{number % 10}",
        tenant=f"tenant-{number % 100}",
    )
    return document, chunks

"""Drafts labelled questions from a base's own headings, for a person to edit."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

from rag.base.knowledge_base import KnowledgeBase
from rag.errors import InvalidArgumentError
from rag.ranking import StoredChunk

SEED = 5
MOST = 10_000


def suggest_questions(base: KnowledgeBase, count: int) -> Iterator[str]:
    """Yield up to ``count`` lines of a golden file, from documents taken in turn.

    Each is a heading with what it stands under, and the lines of its first chunk. They are
    drafts: a heading is worded as the document is, and people ask in other words.

    Raises:
        InvalidArgumentError: ``count`` is out of range, or the base holds no heading.
    """
    if not 1 <= count <= MOST:
        raise InvalidArgumentError(
            f"--suggest must be 1 to {MOST:,}; got {count}", given=count, allowed=f"1 to {MOST:,}"
        )
    documents = list(base.documents())
    random.Random(SEED).shuffle(documents)
    waiting = []
    for document in documents[: max(count, 1)]:
        chunks = base.parts.store.chunks(document.doc_id)
        waiting.append(_headings(chunks))
    seen: set[tuple[str, ...]] = set()
    drafted = 0
    while waiting and drafted < count:
        for own in list(waiting):
            chunk = next((one for one in own if one.heading_path not in seen), None)
            if chunk is None:
                waiting.remove(own)
                continue
            own.remove(chunk)
            seen.add(chunk.heading_path)
            yield _draft(chunk)
            drafted += 1
            if drafted == count:
                return
    if not drafted:
        raise InvalidArgumentError(
            "the base holds no heading to make a question of",
            allowed="documents with headings",
            hint="write the questions yourself; the format is in docs/evaluation.md",
        )


def _headings(chunks: tuple[StoredChunk, ...]) -> list[StoredChunk]:
    """Return the first chunk under each heading, the deepest headings first."""
    first: dict[tuple[str, ...], StoredChunk] = {}
    for chunk in chunks:
        if chunk.heading_path:
            first.setdefault(chunk.heading_path, chunk)
    return sorted(first.values(), key=lambda one: (-len(one.heading_path), one.ordinal))


def _draft(chunk: StoredChunk) -> str:
    heading, *above = [" ".join(one.split()) for one in reversed(chunk.heading_path)]
    text = f"{heading} ({above[0]})" if above else heading
    where = chunk.citation_uri() if chunk.span.kind == "line" else chunk.uri
    return json.dumps({"question": text, "relevant": [where]}, ensure_ascii=False)

"""A hit that somebody else's retriever found."""

from __future__ import annotations

from dataclasses import dataclass

from rag.ingest.records import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignHit:
    """One hit of a list that is best first.

    ``score`` is as the retriever gave it, higher is better; None where it gave none. ``uri`` is
    the document's path or address; where it is empty the hit is cited by its id. ``span`` says
    on which lines or pages of the document the text stands; without it the citation names the
    document alone. ``chunk_id`` and ``doc_id`` follow from text and ``uri`` where they are empty.
    ``indexed_at`` is an ISO 8601 time, read by ``search.stale_after_days`` alone.
    """

    text: str
    score: float | None = None
    uri: str = ""
    title: str = ""
    heading_path: tuple[str, ...] = ()
    span: Span | None = None
    chunk_id: str = ""
    doc_id: str = ""
    source: str = ""
    language: str = "und"
    indexed_at: str = ""

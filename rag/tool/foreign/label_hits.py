"""Makes labelled hits, as our stores emit them, of hits that others found."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable
from numbers import Real

from rag.errors import InvalidArgumentError
from rag.errors.rag_error import in_words
from rag.ingest.identity import ID_HEX_CHARS
from rag.ingest.records import Media, Span, Trust
from rag.ranking.records import RetrievalDetail, SearchHit, SearchMode, StoredChunk
from rag.text import clean_text
from rag.tool.foreign.foreign_hit import ForeignHit
from rag.tool.foreign.hit_scale import RANK, HitScale

_STRINGS = ("text", "uri", "title", "chunk_id", "doc_id", "source", "language", "indexed_at")


def label_hits(hits: Iterable[ForeignHit], scale: HitScale) -> tuple[SearchHit, ...]:
    """Return the hits as a store of ours would have given them, ranked by their place from 1.

    Raises:
        InvalidArgumentError: something is no hit, has a field of another type, has a score that
            its kind cannot have, or shares its id with another text.
    """
    if isinstance(hits, str) or not isinstance(hits, Iterable):
        raise InvalidArgumentError(
            f"hits must be a list, best first; got {type(hits).__name__}",
            given=hits,
            allowed="a list of ForeignHit",
        )
    found = tuple(_labelled(hit, rank, scale) for rank, hit in enumerate(hits, start=1))
    texts: dict[str, str] = {}
    for hit in found:
        chunk = hit.chunk
        if texts.setdefault(chunk.chunk_id, chunk.text) != chunk.text:
            raise InvalidArgumentError(
                f"two hits with different texts have the id {chunk.chunk_id!r:.80}",
                given=chunk.chunk_id,
                allowed="an id per text, or none",
            )
    return found


def _labelled(hit: ForeignHit, rank: int, scale: HitScale) -> SearchHit:
    _check_fields(hit, rank)
    score = None if scale.kind == RANK else _checked_score(hit.score, rank, scale)
    return SearchHit(
        chunk=_chunk(hit, rank),
        rank=rank,
        score=score,
        score_label=scale.label,
        score_kind=scale.score_kind,
        retrieval=_retrieval(score, rank, scale.mode),
    )


def _check_fields(hit: ForeignHit, rank: int) -> None:
    if not isinstance(hit, ForeignHit):
        raise _fault(rank, f"is a {type(hit).__name__}", hit, "a ForeignHit")
    for name in _STRINGS:
        value = getattr(hit, name)
        if not isinstance(value, str):
            kind = type(value).__name__
            raise _fault(rank, f"has a {kind} for its {name}", value, "a string")
    path = hit.heading_path
    if not isinstance(path, tuple | list) or not all(isinstance(one, str) for one in path):
        raise _fault(
            rank, f"has the heading_path {in_words(path, limit=80)}", path, "a tuple of strings"
        )
    if not isinstance(hit.span, Span | None):
        raise _fault(
            rank, f"has the span {in_words(hit.span, limit=80)}", hit.span, "a Span, or None"
        )


def _checked_score(score: float | None, rank: int, scale: HitScale) -> float | None:
    if score is None:
        return None
    if isinstance(score, bool) or not isinstance(score, Real):
        raise _fault(rank, f"has the score {in_words(score, limit=40)}", score, "a number, or None")
    try:
        value = float(score)
    except OverflowError:  # a whole number beyond any score
        value = math.inf
    if math.isfinite(value) and not scale.holds(value):
        raise _fault(
            rank,
            f"has the score {value:g}, which no {scale.kind} is",
            value,
            scale.in_words,
            hint="name the kind that the scores are of; turn a distance, where less is better, "
            "into a cosine first; take rank where only the order is known",
        )
    return value


def _fault(
    rank: int, what: str, given: object, allowed: str, hint: str | None = None
) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"hit {rank} {what}; it must be {allowed}", given=given, allowed=allowed, hint=hint
    )


def _retrieval(score: float | None, rank: int, mode: SearchMode) -> RetrievalDetail:
    if mode is SearchMode.VECTOR:
        return RetrievalDetail(method="vector", vector_score=score, vector_rank=rank)
    if mode is SearchMode.LEXICAL:
        return RetrievalDetail(method="lexical", lexical_score=score, lexical_rank=rank)
    return RetrievalDetail(method="hybrid", fusion_score=score)


def _chunk(hit: ForeignHit, rank: int) -> StoredChunk:
    chunk_id = hit.chunk_id or _id("chunk", hit.uri, hit.text)
    return StoredChunk(
        chunk_id=chunk_id,
        doc_id=hit.doc_id or (_id("document", hit.uri) if hit.uri else chunk_id),
        ordinal=rank - 1,
        text=clean_text(hit.text),
        heading_path=tuple(hit.heading_path),
        span=hit.span or Span(kind="document", start=1, end=1),
        uri=hit.uri or chunk_id,
        title=hit.title,
        media=Media.TEXT,
        language=hit.language,
        tags=(),
        source=hit.source,
        source_type="document",
        trust=Trust.SECONDARY,  # nobody vouched for it
        tenant="",
        content_hash=_id(hit.text),
        indexed_at=hit.indexed_at,
        generation=1,
    )


def _id(*parts: str) -> str:
    """Return the same id for the same parts, whatever list they came in."""
    return hashlib.sha256(json.dumps(parts).encode("ascii")).hexdigest()[:ID_HEX_CHARS]

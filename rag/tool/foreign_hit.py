"""A hit that somebody else's retriever found, and what its score may be."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real

from rag.errors import InvalidArgumentError
from rag.ingest.identity import ID_HEX_CHARS
from rag.ingest.records import Media, Span, Trust
from rag.ranking.records import (
    RetrievalDetail,
    ScoreKind,
    ScoreLabel,
    SearchHit,
    SearchMode,
    StoredChunk,
)
from rag.ranking.score_normalizer import COSINE_TOLERANCE
from rag.text import clean_text

RANK = "rank"
"""The kind of a list whose order alone is known: it has no scores, or nobody can say what they
are, as with a reranker's."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class HitScale:
    """What a kind of score says: how it becomes a quality, which channel it is of, its range."""

    kind: str
    label: ScoreLabel
    mode: SearchMode
    score_kind: ScoreKind
    least: float = 0.0
    most: float = 1.0


_SCALES = {
    scale.kind: scale
    for scale in (
        HitScale(
            kind="cosine",
            label=ScoreLabel.DENSE,
            mode=SearchMode.VECTOR,
            score_kind=ScoreKind.COSINE,
            least=-1.0,
        ),
        HitScale(
            kind="bm25",
            label=ScoreLabel.HYBRID,
            mode=SearchMode.LEXICAL,
            score_kind=ScoreKind.BM25,
            most=math.inf,
        ),
        HitScale(
            kind="rrf", label=ScoreLabel.HYBRID, mode=SearchMode.HYBRID, score_kind=ScoreKind.RRF
        ),
        HitScale(
            kind="minmax",
            label=ScoreLabel.HYBRID,
            mode=SearchMode.HYBRID,
            score_kind=ScoreKind.MINMAX,
        ),
        # The quality is the rank's alone, so the kind beside it is never read.
        HitScale(
            kind=RANK, label=ScoreLabel.HYBRID, mode=SearchMode.HYBRID, score_kind=ScoreKind.RRF
        ),
    )
}


def hit_scale(score_kind: str | None) -> HitScale:
    """Return the scale of the kind that the caller named.

    Raises:
        InvalidArgumentError: it is missing or unknown; a kind is never guessed from the numbers.
    """
    kind = str(score_kind) if isinstance(score_kind, str) else None
    if kind in _SCALES:
        return _SCALES[kind]
    kinds = ", ".join(_SCALES)
    raise InvalidArgumentError(
        (
            f"score_kind is missing; it must be one of: {kinds}"
            if score_kind is None
            else f"unknown score_kind {score_kind!r:.80}; expected one of: {kinds}"
        ),
        given=score_kind,
        allowed=f"one of: {kinds}",
        hint="say what the retriever's scores are; turn a distance into a cosine first; take "
        "rank where only the order is known",
    )


def search_hits(hits: Sequence[ForeignHit], scale: HitScale) -> tuple[SearchHit, ...]:
    """Return the hits as a store of ours would have given them, ranked by their place.

    Raises:
        InvalidArgumentError: something is no hit, has no text, has a score that its kind cannot
            have, or shares its id with another text.
    """
    found = tuple(_search_hit(hit, place, scale) for place, hit in enumerate(hits))
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


def _search_hit(hit: ForeignHit, place: int, scale: HitScale) -> SearchHit:
    if not isinstance(hit, ForeignHit):
        raise _fault(place, f"is a {type(hit).__name__}", hit, "a ForeignHit")
    if not isinstance(hit.text, str):
        raise _fault(place, f"has a {type(hit.text).__name__} for its text", hit.text, "a string")
    score, rank = _checked_score(hit.score, place, scale), place + 1
    return SearchHit(
        chunk=_chunk(hit, place),
        rank=rank,
        score=None if scale.kind == RANK else score,
        score_label=scale.label,
        score_kind=scale.score_kind,
        retrieval=_retrieval(score, rank, scale.mode),
    )


def _checked_score(score: float | None, place: int, scale: HitScale) -> float | None:
    if score is None or scale.kind == RANK:
        return None
    if isinstance(score, bool) or not isinstance(score, Real):
        raise _fault(place, f"has the score {score!r:.40}", score, "a number, or None")
    value = float(score)
    slack = COSINE_TOLERANCE  # single precision may end a little outside
    if math.isfinite(value) and not scale.least - slack <= value <= scale.most + slack:
        most = "upwards" if scale.most == math.inf else f"to {scale.most:g}"
        raise _fault(
            place,
            f"has the score {value:g}, which no {scale.kind} is",
            value,
            f"from {scale.least:g} {most}",
            hint="name the kind that the scores are of; turn a distance, where less is better, "
            "into a cosine first; take rank where only the order is known",
        )
    return value


def _fault(
    place: int, what: str, given: object, allowed: str, hint: str | None = None
) -> InvalidArgumentError:
    return InvalidArgumentError(f"hit {place + 1} {what}", given=given, allowed=allowed, hint=hint)


def _retrieval(score: float | None, rank: int, mode: SearchMode) -> RetrievalDetail:
    if mode is SearchMode.VECTOR:
        return RetrievalDetail(method="vector", vector_score=score, vector_rank=rank)
    if mode is SearchMode.LEXICAL:
        return RetrievalDetail(method="lexical", lexical_score=score, lexical_rank=rank)
    return RetrievalDetail(method="hybrid", fusion_score=score)


def _chunk(hit: ForeignHit, place: int) -> StoredChunk:
    chunk_id = hit.chunk_id or _id("chunk", hit.uri, hit.text)
    return StoredChunk(
        chunk_id=chunk_id,
        doc_id=hit.doc_id or (_id("document", hit.uri) if hit.uri else chunk_id),
        ordinal=place,
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

"""Which of the channels' hits may be ranked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from rag.errors import StoreDamagedError
from rag.errors.rag_error import in_words
from rag.platform.logs import get_logger
from rag.ranking.records import Channel, SearchHit, StoredChunk
from rag.stores.filter_match import matcher
from rag.stores.filters import SearchFilter

CANONICAL_ID = re.compile(r"[0-9a-f]{32}")

_log = get_logger(__name__)


def admit(
    found: Mapping[Channel, Sequence[SearchHit]], filters: SearchFilter
) -> tuple[dict[Channel, dict[str, SearchHit]], int]:
    """Return each channel's hits by chunk id, in order, and how many ghosts were left out.

    Left out are rows that the filter excludes (logged as an error: the engine should have),
    ghosts (another hit shows a newer generation of their document, so a reader who would meet
    both sees the new text only), and the lesser copies of a chunk that one channel returned
    twice.

    Raises:
        StoreDamagedError: an id is none of ours, a row has a value of a foreign type, or two rows
            of one chunk differ in content.
        ValueError: a channel's ranks do not count 1, 2, 3, …
    """
    newest: dict[str, int] = {}
    for channel, hits in found.items():
        for hit in hits:
            chunk = hit.chunk
            _check_types(channel, hit, chunk)
            if chunk.generation > newest.get(chunk.doc_id, 0):
                newest[chunk.doc_id] = chunk.generation
    passes = None if filters.is_empty else matcher(filters)
    kept: dict[Channel, dict[str, SearchHit]] = {}
    ghosts: set[tuple[str, int]] = set()
    for channel, hits in found.items():
        of_channel = kept[channel] = {}
        strays = []
        for place, hit in enumerate(hits, 1):
            chunk = hit.chunk
            chunk_id = chunk.chunk_id
            if hit.rank != place:
                raise ValueError(f"the {channel} channel gave rank {hit.rank} at place {place}")
            if not CANONICAL_ID.fullmatch(chunk_id):
                raise _damaged(
                    f"the {channel} channel returned the chunk id {chunk_id!r:.80}", chunk_id
                )
            if passes is not None and not passes(chunk):
                strays.append(chunk_id)
            elif chunk.generation < newest[chunk.doc_id]:
                ghosts.add((chunk_id, chunk.generation))
            elif chunk_id in of_channel:
                _check_agreement(of_channel[chunk_id], hit)
                of_channel[chunk_id] = _better(of_channel[chunk_id], hit)
            else:
                of_channel[chunk_id] = hit
        if strays:
            _log.error(
                "a channel returned rows that the filter excludes; they were left out",
                channel=str(channel),
                rows=len(strays),
                first=strays[0],
            )
    if len(kept) > 1:
        by_words, by_vector = kept.values()
        for chunk_id in by_words.keys() & by_vector.keys():
            _check_agreement(by_words[chunk_id], by_vector[chunk_id])
    return kept, len(ghosts)


def _check_types(channel: Channel, hit: SearchHit, chunk: StoredChunk) -> None:
    """Refuse what an engine gives where its column holds another type than was written."""
    if (
        isinstance(chunk, StoredChunk)
        and type(chunk.chunk_id) is str
        and type(chunk.doc_id) is str
        and type(chunk.content_hash) is str
        and type(chunk.generation) is int
        and type(hit.rank) is int
    ):
        return
    if not isinstance(chunk, StoredChunk):
        raise _damaged(f"the {channel} channel returned the chunk {in_words(chunk)}", chunk)
    parts = {
        "chunk id": (chunk.chunk_id, str),
        "document id": (chunk.doc_id, str),
        "content hash": (chunk.content_hash, str),
        "generation": (chunk.generation, int),
        "rank": (hit.rank, int),
    }
    name, value = next(
        (name, value) for name, (value, kind) in parts.items() if type(value) is not kind
    )
    raise _damaged(f"the {channel} channel returned the {name} {in_words(value, limit=80)}", value)


def _check_agreement(one: SearchHit, other: SearchHit) -> None:
    a, b = one.chunk, other.chunk
    if a is not b and (a.content_hash != b.content_hash or a.doc_id != b.doc_id):
        raise _damaged(f"two rows say different things of the chunk {a.chunk_id}", a.chunk_id)


def _damaged(message: str, given: object) -> StoreDamagedError:
    return StoreDamagedError(
        message,
        given=given,
        allowed="one content per chunk id of 32 hexadecimal digits",
        hint="look with: rag doctor; then rebuild with: rag doctor --repair",
    )


def _better(one: SearchHit, other: SearchHit) -> SearchHit:
    """Return the copy with the higher score; 0.0 is a score, None and NaN are none."""
    a, b = one.score, other.score
    if b is None or b != b:  # NaN alone differs from itself
        return one
    return other if a is None or a != a or b > a else one

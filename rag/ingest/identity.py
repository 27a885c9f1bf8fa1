"""Deterministic names: the same place has the same id, the same bytes have the same hash."""

from __future__ import annotations

import hashlib
import json

ID_HEX_CHARS = 32  # 128 bits: no accidental collision among any number of documents one can store


def document_id(tenant: str, source: str, uri: str) -> str:
    """Return a document's id, 32 hexadecimal characters, from where it is and nothing else."""
    return _digest(tenant, source, uri)[:ID_HEX_CHARS]


def chunk_id(doc_id: str, chunker_version: str, ordinal: int, content_hash: str) -> str:
    """Return a chunk's id, 32 hexadecimal characters; it changes when its words or place do."""
    return _digest(doc_id, chunker_version, str(ordinal), content_hash)[:ID_HEX_CHARS]


def document_hash(
    data: bytes, *, reader_version: str, chunker_version: str, settings: tuple[str, ...] = ()
) -> str:
    """Return the sha256, hexadecimal, of a file's bytes and all else that decides its chunks.

    ``settings`` are further facts that change what is stored, such as a source's trust.
    """
    return _digest(hashlib.sha256(data).hexdigest(), reader_version, chunker_version, *settings)


def _digest(*parts: str) -> str:
    # JSON keeps the borders between parts, so ("a", "bc") and ("ab", "c") differ;
    # its ASCII form also carries a lone surrogate of a file name without failing.
    return hashlib.sha256(json.dumps(parts).encode("ascii")).hexdigest()

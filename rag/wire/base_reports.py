"""What a base says of itself: its documents, its health, what it can do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rag.ingest.records import Document, Source
from rag.retrieval.document_fetcher import FetchedChunk
from rag.stores.records import HealthCheck, StoreStats


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentList:
    """The stored documents, ordered by source, then path (``document_list.v1``)."""

    schema_version: Literal["document_list.v1"] = "document_list.v1"
    documents: tuple[Document, ...]
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentInspection:
    """All that is stored of a document (``document_inspection.v1``)."""

    schema_version: Literal["document_inspection.v1"] = "document_inspection.v1"
    document: Document
    chunks: tuple[FetchedChunk, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorReport:
    """The health of a base (``doctor.v1``); ``ok`` only where every check is."""

    schema_version: Literal["doctor.v1"] = "doctor.v1"
    ok: bool
    checks: tuple[HealthCheck, ...]
    repaired: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What a base can do (``schema.v1``)."""

    schema_version: Literal["schema.v1"] = "schema.v1"
    rag_version: str
    store: StoreStats | None
    sources: tuple[Source, ...]
    modes: tuple[str, ...]
    default_mode: str
    embedder: str
    embedder_scripts: tuple[str, ...] | None
    fusion: dict[str, float]
    filters: tuple[str, ...]
    file_suffixes: tuple[str, ...]
    limits: dict[str, int]
    token_counter: str
    objects: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorObject:
    """An error (``error.v1``): a stable code, what was given, what is allowed, what to do."""

    schema_version: Literal["error.v1"] = "error.v1"
    code: str
    message: str
    given: str | None
    allowed: str | None
    hint: str | None
    details: dict[str, object]

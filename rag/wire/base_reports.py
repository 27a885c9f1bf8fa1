"""What a base says of itself: its documents, its health, what it can do, what was done to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rag.evidence.records import RagToolResult
from rag.ingest.records import Chunk, Document, IngestReport, Source
from rag.stores.records import HealthCheck, StoreStats


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentList:
    """The stored documents, ordered by source, then path (``document_list.v1``).

    ``total`` counts all that the filters let through; ``documents`` may be fewer of them.
    """

    schema_version: Literal["document_list.v1"] = "document_list.v1"
    documents: tuple[Document, ...]
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class InspectedChunk:
    """A chunk with all that is stored of it; ``tokens`` counts its text, ``ref`` cites it."""

    chunk: Chunk
    ref: str
    tokens: int
    embedded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentInspection:
    """All that is stored of a document (``document_inspection.v1``)."""

    schema_version: Literal["document_inspection.v1"] = "document_inspection.v1"
    document: Document
    chunks: tuple[InspectedChunk, ...]
    counter: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkInspection:
    """All that is stored of a chunk, with its document (``chunk_inspection.v1``)."""

    schema_version: Literal["chunk_inspection.v1"] = "chunk_inspection.v1"
    document: Document
    chunk: InspectedChunk
    counter: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorReport:
    """The health of a base (``doctor.v1``); ``ok`` only where every check is."""

    schema_version: Literal["doctor.v1"] = "doctor.v1"
    ok: bool
    checks: tuple[HealthCheck, ...]
    repaired: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletionReport:
    """What left a base for good (``deletion_report.v1``).

    ``scope`` says what was asked: one document, all of a source, or the whole base; ``name`` is
    the document's path or the source's name.
    """

    schema_version: Literal["deletion_report.v1"] = "deletion_report.v1"
    scope: Literal["document", "source", "base"]
    name: str | None
    documents: int
    chunks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class InitReport:
    """Where a settings file was written (``init_report.v1``)."""

    schema_version: Literal["init_report.v1"] = "init_report.v1"
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QuickstartReport:
    """What the quickstart did (``quickstart_report.v1``)."""

    schema_version: Literal["quickstart_report.v1"] = "quickstart_report.v1"
    store_uri: str
    ingest: IngestReport
    lookup: RagToolResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """What a base holds, counted; ``stale`` documents were indexed too long ago."""

    media: dict[str, int]
    languages: dict[str, int]
    sources: dict[str, int]
    tags: dict[str, int]
    last_indexed_at: str | None
    stale: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What a base can do and holds (``schema.v1``), derived from what is installed and set.

    ``fusion_kind`` is the policy of hybrid mode, ``fusion`` its settings; ``rrf_k`` among them
    takes part in ``rrf`` alone.
    """

    schema_version: Literal["schema.v1"] = "schema.v1"
    rag_version: str
    store: StoreStats
    contents: Contents
    sources: tuple[Source, ...]
    readonly: bool
    modes: tuple[str, ...]
    default_mode: str
    embedder: str
    embedder_scripts: tuple[str, ...] | None
    fusion_kind: Literal["rrf", "minmax"]
    fusion: dict[str, float]
    filters: tuple[str, ...]
    file_suffixes: tuple[str, ...]
    limits: dict[str, int]
    token_counter: str
    objects: tuple[str, ...]

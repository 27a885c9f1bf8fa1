"""What leaves the ingest room: parsed documents, chunks, and the report of a run."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Literal


class Media(StrEnum):
    """The kind of file that a document was read from."""

    MARKDOWN = "markdown"
    TEXT = "text"
    RST = "rst"
    HTML = "html"
    PDF = "pdf"
    DOCX = "docx"
    CODE = "code"


class Trust(StrEnum):
    """How much a source is trusted, most first; a filter may set a minimum."""

    PRIMARY = "primary"
    SECONDARY = "secondary"
    GENERATED = "generated"


SpanKind = Literal["line", "page", "document"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Where a chunk stands in its document: lines or pages, from 1, both ends included.

    Lines count the lines of the document's extracted text, which for Markdown, plain text,
    reStructuredText and code is the file itself. Kind ``document``, from 1 to 1, is for a hit of
    somebody else's retriever that does not say where in its document it stands.
    """

    kind: SpanKind
    start: int
    end: int

    def __post_init__(self) -> None:
        if not 1 <= self.start <= self.end:
            raise ValueError(f"a span needs 1 <= start <= end; got {self.start}..{self.end}")

    def cited_in(self, uri: str) -> str:
        """Return ``uri`` with the fragment of this span; as it is where the document is cited."""
        return uri if self.kind == "document" else f"{uri}#{self.fragment()}"

    def fragment(self) -> str:
        """Return the URI fragment that cites this span: ``L7``, ``L7-L12``, ``p=3``, ``p=3-4``.

        It is empty where the whole document is cited.
        """
        if self.kind == "document":
            return ""
        if self.kind == "page":
            return f"p={self.start}" if self.start == self.end else f"p={self.start}-{self.end}"
        return f"L{self.start}" if self.start == self.end else f"L{self.start}-L{self.end}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A run of a document's text under one heading path, or one page.

    The sections of a document partition its text: the first starts at 0, each starts where the
    one before ended, the last ends at ``len(text)``.
    ``atomic`` are the character ranges (start, end) inside the section, ascending and disjoint,
    that a chunker keeps whole while they fit: code fences, tables, list items.
    ``body_start`` is where the section's own words begin, after its heading line; it equals
    ``end`` for front matter. A section that is white space from there on is no content, and a
    chunker joins it to its neighbour.
    """

    start: int
    end: int
    heading_path: tuple[str, ...] = ()
    page: int | None = None
    atomic: tuple[tuple[int, int], ...] = ()
    body_start: int | None = None
    """None means ``start``: the section has no heading line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedDocument:
    """What a reader makes of one file: its text and structure.

    ``text`` is the file's own text where the format is text (so that line numbers cite the
    file), and the extracted text otherwise. ``language`` is a two-letter code where the file
    declares one, else None.
    """

    text: str
    title: str
    media: Media
    sections: tuple[Section, ...]
    language: str | None = None
    tags: tuple[str, ...] = ()
    trust: Trust | None = None
    source_type: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document as the store knows it; its text lives in its chunks.

    ``doc_id`` depends on tenant, source and uri alone, so an edited file keeps its id and two
    identical files have two. ``content_hash`` is the sha256 of the file's bytes together with
    what else decides its chunks (reader, chunker and settings), so an equal hash means that
    nothing needs to be done.
    """

    doc_id: str
    uri: str
    title: str
    media: Media
    content_hash: str
    chunk_count: int
    byte_size: int
    indexed_at: str
    language: str = "und"
    tags: tuple[str, ...] = ()
    source: str = "default"
    source_type: str = "document"
    trust: Trust = Trust.PRIMARY
    tenant: str = ""
    generation: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A verbatim slice of a document's text; the slices of a document, joined, give its text.

    ``ordinal`` counts from 0 in document order. ``char_start`` and ``char_end`` are offsets in
    the document's text. ``content_hash`` is :func:`rag.ingest.index_text.index_hash`, the
    key under which its vector is cached.
    """

    chunk_id: str
    doc_id: str
    ordinal: int
    text: str
    heading_path: tuple[str, ...]
    span: Span
    char_start: int
    char_end: int
    content_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A named origin of documents in a base: a folder, or single files where ``root`` is empty.

    An ingest of one source never touches another's documents, and a run over a folder removes
    only documents of its own source. ``root`` is an absolute path.
    """

    name: str
    root: str = ""
    trust: Trust = Trust.PRIMARY
    source_type: str = "document"


class FileOutcome(StrEnum):
    """What became of one file of a run."""

    NEW = "new"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    SKIPPED = "skipped"
    FAILED = "failed"


class SkipReason(StrEnum):
    """Why a file was passed over; a skipped file never stops a run."""

    IGNORED = "ignored"
    UNSUPPORTED = "unsupported"
    BINARY = "binary"
    UNREADABLE = "unreadable"
    EMPTY = "empty"
    TOO_LARGE = "too_large"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFile:
    """A file that a walk found worth reading.

    ``uri`` is its path below the walk's root: POSIX separators, Unicode NFC; for a single file
    its name. ``path`` opens it. ``size`` is in bytes, ``modified_ns`` in nanoseconds since 1970,
    both as of the walk.
    """

    path: Path
    uri: str
    size: int
    modified_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedFile:
    """A file, or a whole folder (``uri`` ends in ``/``), that was passed over, and why."""

    uri: str
    reason: SkipReason
    detail: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReport:
    """One file of a run: what became of it, and why where it was not indexed."""

    uri: str
    outcome: FileOutcome
    reason: SkipReason | None = None
    detail: str | None = None
    doc_id: str | None = None
    chunks: int = 0
    chunks_not_embedded: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestReport:
    """The report of one ingest run (``ingest_report.v1``).

    ``scanned`` = ``new + updated + unchanged + skipped + failed``. ``deleted`` counts documents
    of the same source that were in the store and whose file is gone. ``chunks_not_embedded``
    counts written chunks in scripts that the embedder does not cover.
    """

    schema_version: Literal["ingest_report.v1"] = "ingest_report.v1"
    source: str
    root: str
    scanned: int = 0
    new: int = 0
    updated: int = 0
    unchanged: int = 0
    skipped: int = 0
    failed: int = 0
    deleted: int = 0
    skipped_by_reason: dict[str, int] = field(default_factory=dict)
    chunks_written: int = 0
    chunks_embedded: int = 0
    vectors_from_cache: int = 0
    chunks_not_embedded: int = 0
    embedder: str = "none"
    duration_ms: float = 0.0
    warnings: tuple[str, ...] = ()
    files: tuple[FileReport, ...] = ()

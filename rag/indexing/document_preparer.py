"""Turns a file's bytes into a document with its chunks, unless the stored one is up to date."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from rag.indexing.ingest_request import IngestRequest
from rag.indexing.ingest_tally import IngestTally
from rag.ingest.document_name import on_one_line, unusable_character
from rag.ingest.file_loader import parse_file
from rag.ingest.heading_chunker import HeadingChunker
from rag.ingest.identity import document_hash, document_id
from rag.ingest.language import detect_language
from rag.ingest.readers import ReaderRegistry
from rag.ingest.records import (
    Chunk,
    Document,
    FileOutcome,
    ParsedDocument,
    SkippedFile,
    SkipReason,
    Source,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestRun:
    """What one run knows: what is asked, under which source, and what is stored by uri."""

    request: IngestRequest
    source: Source
    stored: Mapping[str, Document]
    tally: IngestTally


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedDocument:
    """A document to be embedded and written."""

    document: Document
    chunks: tuple[Chunk, ...]
    outcome: FileOutcome


class DocumentPreparer:
    """Reads and chunks; whatever is not to be written is counted in the run's tally."""

    def __init__(self, chunker: HeadingChunker, readers: ReaderRegistry) -> None:
        self._chunker = chunker
        self._readers = readers

    def prepare(self, uri: str, data: bytes, run: IngestRun) -> PreparedDocument | None:
        """Return the document to write, or None where there is nothing to do."""
        reader = self._readers.reader_for(uri)
        if reader is None:
            run.tally.skip(SkippedFile(uri=uri, reason=SkipReason.UNSUPPORTED))
            return None
        unusable = unusable_character(uri)
        if unusable is not None:
            detail = f"the file name has the control character {unusable}; rename it"
            run.tally.skip(
                SkippedFile(uri=on_one_line(uri), reason=SkipReason.UNREADABLE, detail=detail)
            )
            return None
        if run.tally.has(uri):
            run.tally.fail(uri, "another file has the same path once Unicode is normalised")
            return None
        content_hash = document_hash(
            data,
            reader_version=reader.version,
            chunker_version=self._chunker.version,
            settings=(*run.request.tags, str(run.source.trust), run.source.source_type),
        )
        before = run.stored.get(uri)
        if before is not None and before.content_hash == content_hash and not run.request.force:
            run.tally.unchanged(before)
            return None
        parsed = parse_file(data, reader, uri=uri)
        if isinstance(parsed, SkippedFile):
            run.tally.skip(parsed)
            return None
        run.tally.present.add(uri)
        doc_id = document_id(run.request.tenant, run.source.name, uri)
        chunks = self._chunker.chunk(parsed, doc_id=doc_id)
        return PreparedDocument(
            document=_document(parsed, run, doc_id, uri, before, content_hash, len(data), chunks),
            chunks=chunks,
            outcome=FileOutcome.UPDATED if before else FileOutcome.NEW,
        )


def _document(
    parsed: ParsedDocument,
    run: IngestRun,
    doc_id: str,
    uri: str,
    before: Document | None,
    content_hash: str,
    byte_size: int,
    chunks: tuple[Chunk, ...],
) -> Document:
    return Document(
        doc_id=doc_id,
        uri=uri,
        title=parsed.title,
        media=parsed.media,
        content_hash=content_hash,
        chunk_count=len(chunks),
        byte_size=byte_size,
        indexed_at=datetime.now(UTC).isoformat(timespec="milliseconds"),
        language=parsed.language or detect_language(parsed.text),
        tags=tuple(dict.fromkeys((*parsed.tags, *run.request.tags))),
        source=run.source.name,
        source_type=parsed.source_type or run.source.source_type,
        trust=parsed.trust or run.source.trust,
        tenant=run.request.tenant,
        generation=before.generation + 1 if before else 1,
    )

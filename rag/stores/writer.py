"""Reads files into a store: only what changed is read, embedded and written."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from rag.embedding import Embedder, VectorCache
from rag.errors import InvalidArgumentError, InvalidVectorError
from rag.ingest.file_loader import load_file, parse_file
from rag.ingest.folder_walk import walk_folder
from rag.ingest.heading_chunker import HeadingChunker
from rag.ingest.identity import document_hash, document_id
from rag.ingest.language import detect_language
from rag.ingest.protocol import IngestProgress, Reader
from rag.ingest.readers import ReaderRegistry
from rag.ingest.records import (
    Chunk,
    Document,
    FileOutcome,
    FoundFile,
    IngestReport,
    ParsedDocument,
    SkippedFile,
    SkipReason,
    Source,
    Trust,
)
from rag.settings import IngestSettings
from rag.stores.chunk_embedder import ChunkEmbedder
from rag.stores.filters import SearchFilter
from rag.stores.ingest_tally import IngestTally, SilentProgress
from rag.stores.protocol import KnowledgeStore
from rag.stores.records import DocumentWrite

DEFAULT_SOURCE = "default"
FILES_SOURCE = "files"  # single files and standard input; no folder run ever prunes it


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestRequest:
    """One ingest: a folder or file, and what is said of its documents.

    ``source`` None means ``default`` for a folder and ``files`` for a single file.
    What a file declares of itself (front matter) wins over ``trust`` and ``source_type``;
    ``tags`` are added to its own. ``force`` re-reads unchanged files.
    """

    path: Path
    source: str | None = None
    tenant: str = ""
    tags: tuple[str, ...] = ()
    trust: Trust = Trust.PRIMARY
    source_type: str = "document"
    force: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prepared:
    document: Document
    chunks: tuple[Chunk, ...]
    outcome: FileOutcome


class KnowledgeWriter:
    """Ingests into one store.

    A run can be interrupted at any point: whole documents written before stay, the next run
    goes on from there.
    """

    def __init__(
        self,
        store: KnowledgeStore,
        embedder: Embedder | None,
        *,
        chunker: HeadingChunker,
        cache: VectorCache | None,
        settings: IngestSettings,
        readers: ReaderRegistry | None = None,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._chunker = chunker
        self._vectors = ChunkEmbedder(embedder, cache)
        self._settings = settings
        self._readers = readers or ReaderRegistry()

    def ingest(
        self, request: IngestRequest, progress: IngestProgress | None = None
    ) -> IngestReport:
        """Bring the store in line with a folder or file.

        Raises:
            PathNotFoundError: there is nothing at the path.
            InvalidArgumentError: the source name holds another folder.
            EmbeddingError, StoreError: the run stopped; whole documents written before stay.
        """
        source = self._claim_source(request)
        entries = self._walk(request.path, single=not source.root)
        tally = IngestTally(progress or SilentProgress(), total=len(entries))
        stored = self._stored(source.name, request.tenant)
        self._write_all(self._prepare_all(entries, stored, source, request, tally), tally)
        if source.root:  # a folder: what is gone from it goes from the store
            gone = [document.doc_id for uri, document in stored.items() if not tally.has(uri)]
            tally.deleted = self._store.delete_documents(gone) if gone else 0
        return tally.report(
            source=source.name, root=str(request.path), embedder=self._embedder_name()
        )

    def ingest_text(self, text: str, request: IngestRequest) -> IngestReport:
        """Store a text under ``request.path`` as its uri, read as that file name's kind.

        Raises:
            InvalidArgumentError: no reader knows the name's suffix, or it is absolute.
        """
        uri = request.path.as_posix()
        if (
            request.path.is_absolute()
            or ".." in request.path.parts
            or not self._readers.supports(uri)
        ):
            raise InvalidArgumentError(
                f"cannot name a text {uri!r}",
                given=uri,
                allowed="a relative path with a known suffix, such as notes/today.md",
            )
        source = self._claim_source(request, is_text=True)
        tally = IngestTally(SilentProgress(), total=1)
        stored = self._stored(source.name, request.tenant)
        prepared = self._prepare(uri, text.encode(), stored, source, request, tally)
        self._write_all(filter(None, [prepared]), tally)
        return tally.report(source=source.name, root="", embedder=self._embedder_name())

    def _walk(self, path: Path, *, single: bool) -> list[FoundFile | SkippedFile]:
        entries = walk_folder(
            path,
            exclude=self._settings.exclude,
            max_file_bytes=self._settings.max_file_bytes,
            follow_symlinks=self._settings.follow_symlinks,
            readers=self._readers,
        )
        if not single:
            return list(entries)
        # a single file is known by its path from here, or two a/notes.md would be one document
        whole = path.resolve()
        here = Path.cwd()
        near = whole.relative_to(here) if whole.is_relative_to(here) else whole
        uri = unicodedata.normalize("NFC", near.as_posix().lstrip("/"))
        return [replace(entry, uri=uri) for entry in entries]

    def _embedder_name(self) -> str:
        return str(self._embedder.identity) if self._embedder else "none"

    def _claim_source(self, request: IngestRequest, *, is_text: bool = False) -> Source:
        single = is_text or request.path.is_file()
        name = request.source or (FILES_SOURCE if single else DEFAULT_SOURCE)
        source = Source(
            name=name,
            root="" if single else str(request.path.resolve()),
            trust=request.trust,
            source_type=request.source_type,
        )
        known = {one.name: one for one in self._store.sources()}.get(name)
        if known is not None and known.root != source.root:
            held = f"the folder {known.root}" if known.root else "single files"
            raise InvalidArgumentError(
                f"source {name!r} already holds {held}",
                given=source.root or request.path.as_posix(),
                allowed="one folder per source, or single files",
                hint="give this one a name of its own: --source NAME",
            )
        if known != source:
            self._store.put_source(source)
        return source

    def _stored(self, source: str, tenant: str) -> dict[str, Document]:
        filters = SearchFilter(source=(source,), tenant=tenant)
        return {document.uri: document for document in self._store.documents(filters)}

    def _prepare_all(
        self,
        entries: Iterable[FoundFile | SkippedFile],
        stored: dict[str, Document],
        source: Source,
        request: IngestRequest,
        tally: IngestTally,
    ) -> Iterator[_Prepared]:
        for entry in entries:
            loaded = entry
            if isinstance(entry, FoundFile):
                loaded = load_file(entry, max_file_bytes=self._settings.max_file_bytes)
            if isinstance(loaded, SkippedFile):
                tally.skip(loaded)
                continue
            prepared = self._prepare(entry.uri, loaded, stored, source, request, tally)
            if prepared is not None:
                yield prepared

    def _prepare(
        self,
        uri: str,
        data: bytes,
        stored: dict[str, Document],
        source: Source,
        request: IngestRequest,
        tally: IngestTally,
    ) -> _Prepared | None:
        reader = self._readers.reader_for(uri)
        if reader is None:
            tally.skip(SkippedFile(uri=uri, reason=SkipReason.UNSUPPORTED))
            return None
        if tally.has(uri):
            tally.fail(uri, "another file has the same path once Unicode is normalised")
            return None
        content_hash = self._content_hash(data, reader, source, request)
        before = stored.get(uri)
        if before is not None and before.content_hash == content_hash and not request.force:
            tally.unchanged(before)
            return None
        parsed = parse_file(data, reader, uri=uri)
        if isinstance(parsed, SkippedFile):
            tally.skip(parsed)
            return None
        tally.present.add(uri)
        return self._chunked(uri, parsed, len(data), content_hash, before, source, request)

    def _content_hash(
        self, data: bytes, reader: Reader, source: Source, request: IngestRequest
    ) -> str:
        return document_hash(
            data,
            reader_version=reader.version,
            chunker_version=self._chunker.version,
            settings=(*request.tags, str(source.trust), source.source_type),
        )

    def _chunked(
        self,
        uri: str,
        parsed: ParsedDocument,
        byte_size: int,
        content_hash: str,
        before: Document | None,
        source: Source,
        request: IngestRequest,
    ) -> _Prepared:
        doc_id = document_id(request.tenant, source.name, uri)
        chunks = self._chunker.chunk(parsed, doc_id=doc_id)
        document = Document(
            doc_id=doc_id,
            uri=uri,
            title=parsed.title,
            media=parsed.media,
            content_hash=content_hash,
            chunk_count=len(chunks),
            byte_size=byte_size,
            indexed_at=datetime.now(UTC).isoformat(timespec="milliseconds"),
            language=parsed.language or detect_language(parsed.text),
            tags=tuple(dict.fromkeys((*parsed.tags, *request.tags))),
            source=source.name,
            source_type=parsed.source_type or source.source_type,
            trust=parsed.trust or source.trust,
            tenant=request.tenant,
            generation=before.generation + 1 if before else 1,
        )
        outcome = FileOutcome.UPDATED if before else FileOutcome.NEW
        return _Prepared(document=document, chunks=chunks, outcome=outcome)

    def _write_all(self, prepared: Iterable[_Prepared], tally: IngestTally) -> None:
        # one batch is written while the next is read and embedded
        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="rag-writer") as pool:
            pending: Future[None] | None = None
            for batch in _batches(prepared, self._settings.batch_chunks):
                writes = self._embedded(batch, tally)
                if pending is not None:
                    pending.result()
                pending = pool.submit(self._store.write_documents, writes) if writes else None
            if pending is not None:
                pending.result()

    def _embedded(self, batch: Sequence[_Prepared], tally: IngestTally) -> list[DocumentWrite]:
        try:
            vectors = self._vectors.vectors(
                [(item.document.title, chunk) for item in batch for chunk in item.chunks]
            )
        except InvalidVectorError as error:
            if len(batch) == 1:
                tally.fail(batch[0].document.uri, error.message)
                return []
            # one bad text must not cost its neighbours their place
            return [write for item in batch for write in self._embedded([item], tally)]
        for item in batch:
            tally.wrote(item.document, item.chunks, item.outcome, vectors.by_chunk)
        tally.count_vectors(vectors)
        return [
            DocumentWrite(
                document=item.document,
                chunks=item.chunks,
                vectors={
                    chunk.chunk_id: vectors.by_chunk[chunk.chunk_id]
                    for chunk in item.chunks
                    if chunk.chunk_id in vectors.by_chunk
                },
            )
            for item in batch
        ]


def _batches(items: Iterable[_Prepared], size: int) -> Iterator[list[_Prepared]]:
    """Yield runs of whole documents with about ``size`` chunks each."""
    batch: list[_Prepared] = []
    chunks = 0
    for item in items:
        batch.append(item)
        chunks += len(item.chunks)
        if chunks >= size:
            yield batch
            batch, chunks = [], 0
    if batch:
        yield batch

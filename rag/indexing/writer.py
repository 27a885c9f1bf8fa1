"""Reads files into a store: only what changed is read, embedded and written."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from rag.embedding import Embedder, VectorCache
from rag.errors import InvalidArgumentError, InvalidVectorError, UnreadableFileError
from rag.indexing.chunk_embedder import ChunkEmbedder
from rag.indexing.document_preparer import DocumentPreparer, IngestRun, PreparedDocument
from rag.indexing.ingest_request import IngestRequest
from rag.indexing.ingest_tally import IngestTally, SilentProgress
from rag.ingest.document_name import on_one_line, unusable_character
from rag.ingest.file_loader import load_file, too_large
from rag.ingest.folder_walk import walk_folder
from rag.ingest.heading_chunker import HeadingChunker
from rag.ingest.protocol import IngestProgress
from rag.ingest.readers import ReaderRegistry
from rag.ingest.records import FileOutcome, FoundFile, IngestReport, SkippedFile, Source
from rag.platform.at_path import at_path
from rag.settings import IngestSettings
from rag.stores.filters import SearchFilter
from rag.stores.protocol import KnowledgeStore
from rag.stores.records import DocumentWrite
from rag.stores.refresh_index import refresh_index
from rag.text import clean_text

DEFAULT_SOURCE = "default"
FILES_SOURCE = "files"  # single files and standard input; no folder run ever prunes it
SOURCE_NAME = re.compile(r"[A-Za-z0-9._-]{1,100}\Z")


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
        self._vectors = ChunkEmbedder(embedder, cache)
        self._settings = settings
        self._readers = readers or ReaderRegistry()
        self._preparer = DocumentPreparer(chunker, self._readers)

    def ingest(
        self, request: IngestRequest, progress: IngestProgress | None = None
    ) -> IngestReport:
        """Bring the store in line with a folder or file.

        A folder's run removes the documents of its source whose files are gone; what could not
        be read this time stays as it was.

        Raises:
            PathNotFoundError: there is nothing at the path.
            InvalidArgumentError: the source name is malformed or holds another folder.
            UnreadableFileError: the one file that was named cannot be stored.
            EmbeddingError, StoreError: the run stopped; whole documents written before stay.
        """
        single = not at_path(request.path).is_folder
        entries = self._walk(request.path, single=single)
        run = self._begin(request, progress or SilentProgress(), len(entries), single=single)
        self._write_all(self._prepare_all(entries, run), run.tally)
        if single:
            return _stored(self._report(run, root=str(request.path)))
        gone = [doc.doc_id for uri, doc in run.stored.items() if not run.tally.has(uri)]
        run.tally.deleted = self._store.delete_documents(gone) if gone else 0
        return self._report(run, root=str(request.path))

    def ingest_text(self, text: str, request: IngestRequest) -> IngestReport:
        """Store a text under ``request.path``; see :meth:`ingest_bytes`."""
        return self.ingest_bytes(clean_text(text).encode(), request)

    def ingest_bytes(self, data: bytes, request: IngestRequest) -> IngestReport:
        """Store a file's bytes under ``request.path`` as its uri, read as that name's kind.

        Raises:
            InvalidArgumentError: no reader knows the name's suffix, it is absolute, or it has a
                control character.
            UnreadableFileError: it is empty, larger than a file may be, or no text of its kind.
            EmbeddingError, StoreError: nothing was stored.
        """
        uri = unicodedata.normalize("NFC", request.path.as_posix())
        unusable = unusable_character(uri)
        if unusable is not None:
            raise InvalidArgumentError(
                f"the name '{on_one_line(uri):.200}' has the control character {unusable}",
                given=uri,
                allowed="a relative path without control characters and line breaks",
                hint="name it as a file would be named, such as notes/today.md",
            )
        outside = request.path.is_absolute() or ".." in request.path.parts
        if outside or not self._readers.supports(uri):
            raise InvalidArgumentError(
                f"cannot store a text under the name {uri!r}",
                given=uri,
                allowed="a relative path with a known suffix, such as notes/today.md",
            )
        run = self._begin(request, SilentProgress(), 1, single=True)
        prepared = None
        if len(data) > self._settings.max_file_bytes:
            run.tally.skip(too_large(uri, self._settings.max_file_bytes))
        else:
            prepared = self._preparer.prepare(uri, data, run)
        self._write_all(filter(None, [prepared]), run.tally)
        return _stored(self._report(run, root=""))

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
        whole, here = path.resolve(), Path.cwd()
        near = whole.relative_to(here) if whole.is_relative_to(here) else whole
        uri = unicodedata.normalize("NFC", near.as_posix().lstrip("/"))
        return [replace(entry, uri=uri) for entry in entries]

    def _begin(
        self, request: IngestRequest, progress: IngestProgress, files: int, *, single: bool
    ) -> IngestRun:
        source = self._claimed_source(request, single=single)
        filters = SearchFilter(source=(source.name,), tenant=request.tenant)
        return IngestRun(
            request=request,
            source=source,
            stored={document.uri: document for document in self._store.documents(filters)},
            tally=IngestTally(progress, total=files),
        )

    def _claimed_source(self, request: IngestRequest, *, single: bool) -> Source:
        source = Source(
            name=request.source or (FILES_SOURCE if single else DEFAULT_SOURCE),
            root="" if single else str(request.path.resolve()),
            trust=request.trust,
            source_type=request.source_type,
        )
        if not SOURCE_NAME.match(source.name):
            raise InvalidArgumentError(
                f"{source.name!r:.80} is no name for a source",
                given=source.name,
                allowed="1 to 100 letters, digits, dots, dashes and underscores",
            )
        known = {one.name: one for one in self._store.sources()}.get(source.name)
        if known is not None and known.root != source.root and self._holds_documents(source.name):
            held = f"the folder {known.root}" if known.root else "single files"
            raise InvalidArgumentError(
                f"source {source.name!r} already holds {held}",
                given=source.root or request.path.as_posix(),
                allowed="one folder per source, or single files",
                hint="give this one a name of its own: --source NAME",
            )
        if known != source:
            self._store.put_source(source)
        return source

    def _holds_documents(self, source: str) -> bool:
        return any(True for _ in self._store.documents(SearchFilter(source=(source,))))

    def _prepare_all(
        self, entries: Iterable[FoundFile | SkippedFile], run: IngestRun
    ) -> Iterator[PreparedDocument]:
        for entry in entries:
            loaded: bytes | SkippedFile
            if isinstance(entry, SkippedFile):
                loaded = entry
            else:
                loaded = load_file(entry, max_file_bytes=self._settings.max_file_bytes)
            if isinstance(loaded, SkippedFile):
                run.tally.skip(loaded)
                continue
            prepared = self._preparer.prepare(entry.uri, loaded, run)
            if prepared is not None:
                yield prepared

    def _write_all(self, prepared: Iterable[PreparedDocument], tally: IngestTally) -> None:
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

    def _embedded(
        self, batch: Sequence[PreparedDocument], tally: IngestTally
    ) -> list[DocumentWrite]:
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

    def _report(self, run: IngestRun, *, root: str) -> IngestReport:
        run.tally.warnings = refresh_index(self._store, run.tally.progress.indexing)
        embedder = str(self._embedder.identity) if self._embedder else "none"
        return run.tally.report(source=run.source.name, root=root, embedder=embedder)


def _stored(report: IngestReport) -> IngestReport:
    """Return the report of one file or text, unless nothing of it is stored."""
    for file in report.files:
        if file.outcome in (FileOutcome.SKIPPED, FileOutcome.FAILED):
            why = ": ".join(filter(None, (file.reason, file.detail))) or str(file.outcome)
            raise UnreadableFileError(
                f"{file.uri!r:.200} cannot be stored ({why})",
                given=file.uri,
                allowed="a file with text, of the kind that its suffix says",
                hint="open it yourself to see what it is; what was stored of it before stays",
                details={"outcome": str(file.outcome), "reason": file.reason and str(file.reason)},
            )
    return report


def _batches(items: Iterable[PreparedDocument], size: int) -> Iterator[list[PreparedDocument]]:
    """Yield runs of whole documents with about ``size`` chunks each."""
    batch: list[PreparedDocument] = []
    chunks = 0
    for item in items:
        batch.append(item)
        chunks += len(item.chunks)
        if chunks >= size:
            yield batch
            batch, chunks = [], 0
    if batch:
        yield batch

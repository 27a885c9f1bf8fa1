"""Keeps count during an ingest run and makes the report of it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import accumulate

from rag.indexing.chunk_embedder import ChunkVectors
from rag.ingest.protocol import IngestProgress
from rag.ingest.records import (
    Chunk,
    Document,
    FileOutcome,
    FileReport,
    IngestReport,
    SkippedFile,
    SkipReason,
)


class SilentProgress:
    """Hears everything and says nothing."""

    def scanned(self, files: int) -> None: ...

    def file_done(self, uri: str, outcome: str) -> None: ...

    def embedded(self, chunks: int) -> None: ...

    def indexing(self, step: str, done: int, total: int) -> None: ...


class IngestTally:
    """What happened to each file so far; tells a progress listener as it goes.

    ``present`` are the uris whose stored text stays: what was indexed, is unchanged, or could not
    be read this time. A folder that could not be listed stands in it with its final slash.
    """

    def __init__(self, progress: IngestProgress, *, total: int) -> None:
        self.present: set[str] = set()
        self.deleted = 0
        self.warnings: tuple[str, ...] = ()
        self.progress = progress
        self._started = time.perf_counter()
        self._files: list[FileReport] = []
        self._outcomes: Counter[FileOutcome] = Counter()
        self._reasons: Counter[SkipReason] = Counter()
        self._written = self._embedded = self._cached = self._not_covered = 0
        progress.scanned(total)

    def has(self, uri: str) -> bool:
        """Whether a uri, or a folder above it that could not be listed, was met in this run."""
        if uri in self.present:
            return True
        folders = accumulate(uri.split("/")[:-1], lambda path, name: f"{path}/{name}")
        return any(f"{folder}/" in self.present for folder in folders)

    def skip(self, file: SkippedFile) -> None:
        """Count a file that was passed over; an unreadable one keeps its stored text."""
        if file.reason is SkipReason.UNREADABLE:
            self.present.add(file.uri)
        self._reasons[file.reason] += 1
        self._add(
            FileReport(
                uri=file.uri,
                outcome=FileOutcome.SKIPPED,
                reason=file.reason,
                detail=file.detail,
            )
        )

    def fail(self, uri: str, detail: str) -> None:
        """Count a file that was read but could not be indexed."""
        self._add(FileReport(uri=uri, outcome=FileOutcome.FAILED, detail=detail))

    def unchanged(self, document: Document) -> None:
        """Count a file whose stored text is up to date."""
        self.present.add(document.uri)
        self._add(
            FileReport(
                uri=document.uri,
                outcome=FileOutcome.UNCHANGED,
                doc_id=document.doc_id,
                chunks=document.chunk_count,
            )
        )

    def wrote(
        self,
        document: Document,
        chunks: Sequence[Chunk],
        outcome: FileOutcome,
        embedded: Collection[str],
    ) -> None:
        """Count a document that is on its way into the store."""
        self._written += len(chunks)
        self._add(
            FileReport(
                uri=document.uri,
                outcome=outcome,
                doc_id=document.doc_id,
                chunks=len(chunks),
                chunks_not_embedded=sum(chunk.chunk_id not in embedded for chunk in chunks),
            )
        )

    def count_vectors(self, vectors: ChunkVectors) -> None:
        """Count where the vectors of a batch came from."""
        self._embedded += vectors.embedded
        self._cached += vectors.from_cache
        self._not_covered += vectors.not_covered
        self.progress.embedded(len(vectors.by_chunk))

    def report(self, *, source: str, root: str, embedder: str) -> IngestReport:
        """Return the report of the run up to now."""
        return IngestReport(
            source=source,
            root=root,
            scanned=len(self._files),
            new=self._outcomes[FileOutcome.NEW],
            updated=self._outcomes[FileOutcome.UPDATED],
            unchanged=self._outcomes[FileOutcome.UNCHANGED],
            skipped=self._outcomes[FileOutcome.SKIPPED],
            failed=self._outcomes[FileOutcome.FAILED],
            deleted=self.deleted,
            skipped_by_reason={str(reason): n for reason, n in sorted(self._reasons.items())},
            chunks_written=self._written,
            chunks_embedded=self._embedded,
            vectors_from_cache=self._cached,
            chunks_not_embedded=self._not_covered,
            embedder=embedder,
            duration_ms=round((time.perf_counter() - self._started) * 1000, 1),
            warnings=self.warnings,
            files=tuple(self._files),
        )

    def _add(self, file: FileReport) -> None:
        self._files.append(file)
        self._outcomes[file.outcome] += 1
        self.progress.file_done(file.uri, str(file.outcome))

"""What plugs into the ingest room: readers and progress listeners."""

from __future__ import annotations

from typing import Protocol

from rag.ingest.records import Media, ParsedDocument


class Reader(Protocol):
    """Turns the bytes of one file into text and structure.

    ``read`` never changes the file and needs no network. For text formats the returned text is
    the decoded file with line ends turned to ``\\n``, nothing dropped.

    Raises:
        UnreadableFileError: the bytes are not a valid file of this kind.
    """

    media: Media
    version: str
    """Changes whenever the same bytes would be read differently."""
    suffixes: frozenset[str]
    """Lower-case file name endings with their dot."""

    def read(self, data: bytes, *, uri: str) -> ParsedDocument: ...


class IngestProgress(Protocol):
    """Hears how a run gets on; every method returns at once.

    All are called in the thread that ingests. An exception that one raises stops the run as an
    interrupt would: whole documents written before stay.
    """

    def scanned(self, files: int) -> None:
        """The walk is over: so many files will be looked at."""

    def file_done(self, uri: str, outcome: str) -> None:
        """One more file is finished, in walk order."""

    def embedded(self, chunks: int) -> None:
        """So many more chunks have their vector."""

    def indexing(self, step: str, done: int, total: int) -> None:
        """A step of building the store's vector index got so far, in chunks of ``total``."""

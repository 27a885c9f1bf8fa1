"""What is asked of one ingest."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rag.ingest.records import Trust


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

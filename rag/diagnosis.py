"""Examines a base from the outside in: settings, disk, store, embedder, index."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from rag import __version__
from rag.assembly import is_server
from rag.errors import RagError
from rag.knowledge_base import KnowledgeBase
from rag.settings import Settings
from rag.stores.records import HealthCheck
from rag.wire.base_reports import DoctorReport

LOW_DISK_BYTES = 500_000_000  # an ingest of a few thousand files may need this much
PROBE = "The quick brown fox jumps over the lazy dog."


def diagnose(
    load: Callable[[], Settings],
    open_base: Callable[[], AbstractContextManager[KnowledgeBase]],
    *,
    repair: bool = False,
) -> DoctorReport:
    """Return the health of the base that ``load`` and ``open_base`` give; never raises RagError.

    The base is left as a context: one of a server that is to stay open comes in a ``nullcontext``.
    A check that needs one that failed is left out. With ``repair``, what the store can mend is
    mended before it is checked.

    Raises:
        ReadonlyError: ``repair`` was asked of a base opened read-only.
    """
    checks = [HealthCheck(name="version", ok=True, detail=f"rag-evidence {__version__}")]
    repaired: tuple[str, ...] = ()
    try:
        settings = load()
    except RagError as error:
        return _report([*checks, _fault("settings", error)], repaired)
    checks.append(HealthCheck(name="settings", ok=True, detail="every setting is valid"))
    if not is_server(settings.store.uri):
        checks += _disk_checks(Path(settings.store.uri))
    try:
        opened = open_base()
    except RagError as error:
        return _report([*checks, _fault("store", error)], repaired)
    with opened as base:
        if repair:
            repaired = base.repair()
        checks += _base_checks(base)
    return _report(checks, repaired)


def _report(checks: list[HealthCheck], repaired: tuple[str, ...]) -> DoctorReport:
    return DoctorReport(
        ok=all(check.ok for check in checks), checks=tuple(checks), repaired=repaired
    )


def _fault(name: str, error: RagError) -> HealthCheck:
    return HealthCheck(name=name, ok=False, detail=error.message, hint=error.hint or error.allowed)


def _disk_checks(path: Path) -> Iterator[HealthCheck]:
    folder = next(parent for parent in (path, *path.absolute().parents) if parent.exists())
    writable = os.access(folder, os.W_OK)
    yield HealthCheck(
        name="folder",
        ok=writable,
        detail=f"{folder} is {'writable' if writable else 'not writable'}",
        hint="change its permissions, or set store.uri to a folder of yours",
    )
    free = shutil.disk_usage(folder).free
    yield HealthCheck(
        name="disk",
        ok=free >= LOW_DISK_BYTES,
        detail=f"{free / 1e9:.1f} GB free",
        hint="free some space before the next ingest",
    )


def _base_checks(base: KnowledgeBase) -> Iterator[HealthCheck]:
    stats = base.parts.store.stats()
    yield HealthCheck(
        name="store",
        ok=True,
        detail=f"{stats.backend} at {stats.uri}: {stats.documents} documents, "
        f"{stats.chunks} chunks, {stats.chunks_with_vector} with a vector",
    )
    embedder = base.parts.embedder
    if embedder is None:
        yield HealthCheck(name="embedder", ok=True, detail="none: search by words alone")
    else:
        try:
            length = float((embedder.embed_query(PROBE) ** 2).sum())
            yield HealthCheck(
                name="embedder",
                ok=abs(length - 1) < 1e-3,
                detail=f"{embedder.identity} gives vectors of length {length**0.5:.3f}",
                hint="choose another embedder, or re-install its package",
            )
        except RagError as error:
            yield _fault("embedder", error)
    yield from base.parts.store.check()

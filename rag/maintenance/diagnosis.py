"""Examines a base from the outside in: settings, disk, store, embedder, index."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from rag import __version__
from rag.answerability.choose_profile import NONE, REMEDY
from rag.assembly import is_server
from rag.assembly import open_base as open_from_settings
from rag.base.knowledge_base import KnowledgeBase
from rag.errors import (
    EmbeddingError,
    IndexIdentityMismatchError,
    MissingExtraError,
    RagError,
    StoreLockedError,
    StoreUnreachableError,
)
from rag.platform.at_path import at_path
from rag.ranking import SearchMode
from rag.settings import Settings
from rag.stores.records import ChannelStatus, HealthCheck, StoreQuery
from rag.wire.base_reports import DoctorReport

LOW_DISK_BYTES = 500_000_000  # an ingest of a few thousand files may need this much
PROBE = "The quick brown fox jumps over the lazy dog."
PROBE_CHARS = 200  # of a stored chunk, searched for to see whether it is found

NOT_CALIBRATED = "levels are not calibrated"

# Which check an error at opening is a fault of; any other is the store's.
_FAULTS: tuple[tuple[type[RagError], str], ...] = (
    (StoreLockedError, "lock"),
    (StoreUnreachableError, "server"),
    (IndexIdentityMismatchError, "identity"),
    (EmbeddingError, "embedder"),
    (MissingExtraError, "packages"),
)


def diagnose(
    load: Callable[[], Settings],
    open_base: Callable[[], AbstractContextManager[KnowledgeBase]],
    *,
    repair: bool = False,
) -> DoctorReport:
    """Return the health of the base that ``load`` and ``open_base`` give.

    The base is left as a context: one of a server that is to stay open comes in a ``nullcontext``.
    A check that needs one that failed is left out: where the embedder is at fault, the store is
    opened without it, so that the index is examined all the same. With ``repair``, what the store
    can mend is mended before it is checked. Only a refusal is raised; any other error is a fault
    in the report.

    Raises:
        ReadonlyError: ``repair`` was asked of a base opened read-only.
    """
    checks = [HealthCheck(name="version", ok=True, detail=f"rag-evidence {__version__}")]
    try:
        settings = load()
    except RagError as error:
        return _report([*checks, _fault("settings", error)])
    checks.append(HealthCheck(name="settings", ok=True, detail="every setting is valid"))
    if repair:
        settings.require_writable("repair")
    if not is_server(settings.store.uri):
        checks += _disk_checks(Path(settings.store.uri))
    try:
        opened = open_base()
    except (EmbeddingError, MissingExtraError, IndexIdentityMismatchError) as error:
        checks.append(_fault(_name_of(error), error))
        opened_without = _without_embedder(settings)
        if opened_without is None:
            return _report(checks)
        with opened_without as base:
            return _examined(base, checks, repair=repair, without=("embedder", "answerability"))
    except RagError as error:
        return _report([*checks, _fault(_name_of(error), error)])
    with opened as base:
        return _examined(base, checks, repair=repair)


def _examined(
    base: KnowledgeBase, checks: list[HealthCheck], *, repair: bool, without: tuple[str, ...] = ()
) -> DoctorReport:
    repaired: tuple[str, ...] = ()
    if repair:
        try:
            repaired = base.repair()
        except RagError as error:
            checks.append(_fault("repair", error))
    for name, examine in _EXAMINATIONS.items():
        if name in without:
            continue
        try:
            checks += examine(base)
        except RagError as error:
            checks.append(_fault(name, error))
    return _report(checks, repaired)


def _report(checks: list[HealthCheck], repaired: tuple[str, ...] = ()) -> DoctorReport:
    return DoctorReport(
        ok=all(check.ok for check in checks), checks=tuple(checks), repaired=repaired
    )


def _name_of(error: RagError) -> str:
    return next((name for kind, name in _FAULTS if isinstance(error, kind)), "store")


def _fault(name: str, error: RagError) -> HealthCheck:
    return HealthCheck(name=name, ok=False, detail=error.message, hint=error.hint or error.allowed)


def _without_embedder(settings: Settings) -> KnowledgeBase | None:
    none = settings.embedding.model_copy(update={"embedder": "none"})
    try:
        return open_from_settings(settings.model_copy(update={"embedding": none}), create=False)
    except RagError:
        return None  # the fault that is reported already is not the embedder's alone


def _disk_checks(path: Path) -> Iterator[HealthCheck]:
    folder = next(parent for parent in (path, *path.absolute().parents) if at_path(parent).exists)
    writable = os.access(folder, os.W_OK)
    yield HealthCheck(
        name="folder",
        ok=writable,
        detail=f"{folder} is {'writable' if writable else 'not writable'}",
        hint=None if writable else "change its permissions, or set store.uri to a folder of yours",
    )
    free = shutil.disk_usage(folder).free
    enough = free >= LOW_DISK_BYTES
    yield HealthCheck(
        name="disk",
        ok=enough,
        detail=f"{free / 1e9:.1f} GB free",
        hint=None if enough else "free some space before the next ingest",
    )


def _store_checks(base: KnowledgeBase) -> Iterator[HealthCheck]:
    stats = base.parts.store.stats()
    yield HealthCheck(
        name="store",
        ok=True,
        detail=f"{stats.backend} at {stats.uri}: {stats.documents} documents, "
        f"{stats.chunks} chunks, {stats.chunks_with_vector} with a vector",
    )
    made = stats.manifest
    yield HealthCheck(
        name="built with",
        ok=True,
        detail=f"schema {made.schema_version}, analyser {made.analyzer}, "
        f"embedder {made.embedder or 'none'}",
    )
    listed = base.documents()
    chunks = sum(document.chunk_count for document in listed)
    agree = (len(listed), chunks) == (stats.documents, stats.chunks)
    yield HealthCheck(
        name="catalogue",
        ok=agree,
        detail=f"lists {len(listed)} documents with {chunks} chunks"
        + ("" if agree else f"; the index counts {stats.documents} and {stats.chunks}"),
        hint=None if agree else "mend it with: rag doctor --repair",
    )


def _embedder_checks(base: KnowledgeBase) -> Iterator[HealthCheck]:
    embedder = base.parts.embedder
    if embedder is None:
        yield HealthCheck(name="embedder", ok=True, detail="none: search by words alone")
        return
    length = float((embedder.embed_query(PROBE) ** 2).sum()) ** 0.5
    unit = abs(length - 1) < 1e-3
    yield HealthCheck(
        name="embedder",
        ok=unit,
        detail=f"{embedder.identity} gives vectors of length {length:.3f}",
        hint=None if unit else "choose another embedder, or install its package again",
    )


def _answerability_check(base: KnowledgeBase) -> Iterator[HealthCheck]:
    """Say which profile judges; a fault where the base has one of its own that does not."""
    parts, setting = base.parts, base.settings.answerability.profile
    judges = (
        f"the profile {parts.answerability.profile.name} judges" if parts.answerability else None
    )
    for warning in parts.answerability_warnings:
        yield HealthCheck(
            name="answerability",
            ok=False,
            detail=f"{warning.removesuffix(f'; {REMEDY}')}; {judges or NOT_CALIBRATED}",
            hint=REMEDY,
        )
    if not parts.answerability_warnings:
        why = (
            "as answerability.profile says"
            if setting == NONE
            else "no profile is for this embedder"
        )
        yield HealthCheck(
            name="answerability", ok=True, detail=judges or f"{NOT_CALIBRATED}: {why}"
        )


def _search_check(base: KnowledgeBase) -> Iterator[HealthCheck]:
    """Search for the beginning of a stored chunk by its words: it must be found."""
    document = next((one for one in base.documents() if one.chunk_count), None)
    if document is None:
        yield HealthCheck(name="search", ok=True, detail="nothing is stored yet")
        return
    chunk = base.parts.store.chunks(document.doc_id)[0]
    words = chunk.text.strip()[:PROBE_CHARS]
    answer = base.parts.store.search(StoreQuery(text=words, mode=SearchMode.LEXICAL, k=1))
    wordless = any(one.status is ChannelStatus.NO_TERMS for one in answer.channels.values())
    found = bool(answer.hits) or wordless
    yield HealthCheck(
        name="search",
        ok=found,
        detail=f"the words of {chunk.citation_uri()} are {'' if found else 'not '}found",
        hint=None if found else "mend it with: rag doctor --repair",
    )


_EXAMINATIONS: dict[str, Callable[[KnowledgeBase], Iterable[HealthCheck]]] = {
    "store": _store_checks,
    "embedder": _embedder_checks,
    "answerability": _answerability_check,
    "index": lambda base: base.parts.store.check(),
    "search": _search_check,
}

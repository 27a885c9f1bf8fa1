"""How a base's capabilities look on a terminal."""

from __future__ import annotations

from collections.abc import Mapping

from rag.surfaces.cli.terminal import Page, shown
from rag.surfaces.counted import counted
from rag.wire.base_reports import Capabilities


def print_capabilities(it: Capabilities) -> None:
    """Print what a base holds and can do, a line each."""
    scripts = "all scripts" if it.embedder_scripts is None else ", ".join(it.embedder_scripts)
    store, held = it.store, it.contents
    rows = [
        ("version", it.rag_version),
        ("store", f"{store.backend} at {store.uri}" + ("; read-only" if it.readonly else "")),
        ("documents", _counted(store.documents, held.media)),
        ("chunks", f"{store.chunks}, {store.chunks_with_vector} with a vector"),
        ("languages", _listed(held.languages)),
        ("sources", _listed({one.name: held.sources.get(one.name, 0) for one in it.sources})),
        ("tags", _listed(held.tags)),
        ("indexed", _when(held.last_indexed_at, held.stale)),
        ("revision", store.revision),
        ("analyzer", store.manifest.analyzer),
        ("embedder", it.embedder if it.embedder == "none" else f"{it.embedder}; reads {scripts}"),
        ("modes", f"{', '.join(it.modes)}; default {it.default_mode}"),
        ("fusion", _fusion(it)),
        ("filters", ", ".join(it.filters)),
        ("files", f"{len(it.file_suffixes)} kinds by suffix; see them with --json"),
        ("limits", ", ".join(f"{name} {value}" for name, value in it.limits.items())),
        ("counter", it.token_counter),
        ("objects", ", ".join(it.objects)),
    ]
    Page().facts([(name, shown(value)) for name, value in rows])


def _fusion(it: Capabilities) -> str:
    own = {name: value for name, value in it.fusion.items() if name != "rrf_k"}
    if it.fusion_kind == "rrf":
        own = it.fusion
    return ", ".join([it.fusion_kind, *(f"{name} {value:g}" for name, value in own.items())])


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "none yet"


def _counted(total: int, counts: Mapping[str, int]) -> str:
    return f"{total}: {_listed(counts)}" if total else "none yet"


def _when(last: str | None, stale: int) -> str:
    if last is None:
        return "never"
    return f"last at {last}" + (
        f"; {counted(stale, 'document is', 'documents are')} stale" if stale else ""
    )

"""How a base's capabilities look on a terminal."""

from __future__ import annotations

from rag.surfaces.cli.terminal import shown, stdout_console
from rag.wire.base_reports import Capabilities


def print_capabilities(it: Capabilities) -> None:
    """Print what a base holds and can do, a line each."""
    scripts = "all scripts" if it.embedder_scripts is None else ", ".join(it.embedder_scripts)
    rows = [("version", it.rag_version)]
    if it.store is not None:
        rows += [
            ("store", f"{it.store.backend} at {it.store.uri}"),
            ("documents", str(it.store.documents)),
            ("chunks", f"{it.store.chunks}, {it.store.chunks_with_vector} with a vector"),
            ("analyzer", it.store.manifest.analyzer),
            ("revision", it.store.revision),
        ]
    rows += [
        ("sources", ", ".join(source.name for source in it.sources) or "none yet"),
        ("embedder", it.embedder if it.embedder == "none" else f"{it.embedder}; reads {scripts}"),
        ("modes", f"{', '.join(it.modes)}; default {it.default_mode}"),
        ("fusion", ", ".join(f"{name} {value:g}" for name, value in it.fusion.items())),
        ("filters", ", ".join(it.filters)),
        ("files", " ".join(it.file_suffixes)),
        ("limits", ", ".join(f"{name} {value}" for name, value in it.limits.items())),
        ("counter", it.token_counter),
        ("objects", ", ".join(it.objects)),
    ]
    console = stdout_console()
    for name, value in rows:
        console.print(f"{name:10} {shown(value)}", markup=False)

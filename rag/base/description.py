"""Describes a base: what it holds and can do, from what is installed, set and stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rag import __version__
from rag.base.inspection import contents_of
from rag.embedding import Embedder
from rag.ingest.readers import supported_suffixes
from rag.ranking import Channel, SearchMode
from rag.retrieval.records import MAX_K, MAX_QUERY_CHARS
from rag.settings import Settings
from rag.stores.filters import FILTER_KEYS
from rag.stores.protocol import KnowledgeStore
from rag.text import TokenCounter
from rag.wire.base_reports import Capabilities
from rag.wire.bulk_search import MAX_BULK
from rag.wire.schemas import WIRE_TYPES


def describe_base(
    settings: Settings,
    store: KnowledgeStore,
    embedder: Embedder | None,
    counter: TokenCounter,
    *,
    weights: Mapping[Channel, float],
    is_stale: Callable[[str], bool],
) -> Capabilities:
    """Return what a base of these parts can do and holds; raises StoreError."""
    scripts = embedder.scripts if embedder else None
    return Capabilities(
        rag_version=__version__,
        store=store.stats(),
        contents=contents_of(store.documents(), is_stale),
        sources=store.sources(),
        readonly=settings.readonly,
        modes=tuple(mode for mode in SearchMode if embedder or mode is not SearchMode.VECTOR),
        default_mode=settings.search.mode,
        embedder=str(embedder.identity) if embedder else "none",
        embedder_scripts=None if scripts is None else tuple(sorted(scripts)),
        fusion_kind=settings.search.fusion,
        fusion={"rrf_k": settings.search.rrf_k}
        | {f"{name}_weight": weight for name, weight in weights.items()},
        filters=FILTER_KEYS,
        file_suffixes=tuple(sorted(supported_suffixes())),
        limits={
            "query_chars": MAX_QUERY_CHARS,
            "k": MAX_K,
            "bulk": MAX_BULK,
            "candidates": settings.search.candidates,
            "budget_tokens": settings.evidence.budget_tokens,
        },
        token_counter=counter.name,
        objects=tuple(WIRE_TYPES),
    )

"""Which store a URI means, and where what belongs to its base lies.

Its imports stand inside the function, against the rule, so that a process loads only the
engine that its settings choose.
"""

from __future__ import annotations

from pathlib import Path

from rag.embedding import EmbedderIdentity
from rag.ranking import FusionPolicy
from rag.settings import Settings
from rag.settings.server_address import is_server
from rag.stores.protocol import KnowledgeStore
from rag.text import Analyzer

MILVUS_LITE_SUFFIX = ".db"  # what Milvus Lite itself demands of a path


def own_profile_path(uri: str) -> Path | None:
    """Return where a store's own answerability profile is kept; None for a server."""
    if is_server(uri):
        return None
    if uri.endswith(MILVUS_LITE_SUFFIX):
        return Path(f"{uri}.answerability.json")
    return Path(uri) / "answerability.json"


def build_store(
    settings: Settings,
    analyzer: Analyzer,
    embedder: EmbedderIdentity | None,
    fusion: FusionPolicy,
    *,
    create: bool,
) -> KnowledgeStore:
    """Return the store at ``store.uri``; vectors in it are of the embedder of this identity."""
    create = create and not settings.readonly
    uri = settings.store.uri
    if is_server(uri) or uri.endswith(MILVUS_LITE_SUFFIX):
        from rag.stores.milvus.store import MilvusHybridKnowledgeStore

        return MilvusHybridKnowledgeStore(
            settings.store,
            analyzer=analyzer,
            embedder=embedder,
            fusion=fusion,
            bm25_k1=settings.search.bm25_k1,
            bm25_b=settings.search.bm25_b,
            create=create,
        )
    from rag.stores.local.store import LocalKnowledgeStore

    return LocalKnowledgeStore(
        uri,
        analyzer=analyzer,
        embedder=embedder,
        fusion=fusion,
        bm25_k1=settings.search.bm25_k1,
        bm25_b=settings.search.bm25_b,
        exact_limit=settings.store.exact_limit,
        create=create,
        readonly=settings.readonly,
    )

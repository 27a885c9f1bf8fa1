"""Opens local stores with the contract's analyser and embedder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from rag.ranking import ReciprocalRankFusion
from rag.stores.local import LocalKnowledgeStore
from rag.testing.store_contract_parts.corpus import ANALYZER, EMBEDDER

OpenLocal = Callable[..., LocalKnowledgeStore]


def local_store(folder: Path, **options: Any) -> LocalKnowledgeStore:
    """Return the store at ``folder``, made where there is none."""
    return LocalKnowledgeStore(
        folder,
        **{
            "analyzer": ANALYZER,
            "embedder": EMBEDDER.identity,
            "fusion": ReciprocalRankFusion(),
            "lock_timeout_s": 60.0,  # only a writer that hangs needs it
            **options,
        },
    )

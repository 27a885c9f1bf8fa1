"""After writes: what a store derives for speed, brought up to date."""

from __future__ import annotations

from rag.errors import MissingExtraError, StoreLockedError
from rag.stores.protocol import IndexProgress, KnowledgeStore


def refresh_index(store: KnowledgeStore, progress: IndexProgress) -> tuple[str, ...]:
    """Build the store's index where it is due; return what stood in the way, in words.

    The documents are stored and found either way; only the speed of a large base is at stake,
    so a missing package or another process at work is no error here.
    """
    try:
        store.build_index(progress)
    except (MissingExtraError, StoreLockedError) as error:
        return (". ".join(part for part in (error.message, error.hint) if part),)
    return ()

"""Copies a whole base from one store to another: from one machine to a cluster, and back."""

from __future__ import annotations

from contextlib import closing

from rag.assembly import build_store, is_server
from rag.errors import InvalidArgumentError
from rag.indexing.ingest_tally import SilentProgress
from rag.ingest.protocol import IngestProgress
from rag.platform.at_path import real_path
from rag.ranking import Channel, ReciprocalRankFusion
from rag.settings import Settings
from rag.stores.place import look_for_store
from rag.stores.store_copy import CopyReport, copy_store
from rag.text import Analyzer


def copy_base(
    source_uri: str, target_uri: str, settings: Settings, progress: IngestProgress | None = None
) -> CopyReport:
    """Copy the base at one URI into the one at another, which is made where it is missing.

    No model is loaded: vectors come along, and the target takes over whose they are. Both stores
    are opened with the other settings of ``settings``.

    Raises:
        ConfigError: a URI is none of a store.
        InvalidArgumentError: both URIs are one place.
        ReadonlyError: the settings forbid writing.
        StoreError: a store cannot be opened or failed, or the copy is not complete.
    """
    settings.require_writable("copy")
    if _place(source_uri) == _place(target_uri):
        raise InvalidArgumentError(
            "source and target are the same place", given=source_uri, allowed="two stores"
        )
    analyzer = Analyzer(settings.text.stemmer)
    # a store needs a fusion; nothing is searched here
    fusion = ReciprocalRankFusion(k=settings.search.rrf_k, weights=dict.fromkeys(Channel, 1.0))
    from_settings = _at(settings, source_uri, readonly=True)
    with closing(build_store(from_settings, analyzer, None, fusion, create=False)) as source:
        identity = source.stats().manifest.embedder
        to_settings = _at(settings, target_uri)
        with closing(build_store(to_settings, analyzer, identity, fusion, create=True)) as target:
            return copy_store(source, target, progress or SilentProgress())


def _at(settings: Settings, uri: str, *, readonly: bool = False) -> Settings:
    store = settings.store.at(uri)
    return settings.model_copy(update={"store": store, "readonly": readonly})


def _place(uri: str) -> str:
    if is_server(uri):
        return uri.rstrip("/")
    look_for_store(uri)
    return str(real_path(uri))

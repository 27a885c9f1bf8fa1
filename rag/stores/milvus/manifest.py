"""Whether an index may be used with the embedder and analyser at hand."""

from __future__ import annotations

from rag.embedding.protocol import EmbedderIdentity
from rag.errors import IndexIdentityMismatchError
from rag.stores.milvus.ledger import now_text
from rag.stores.milvus.schema import SCHEMA_VERSION
from rag.stores.records import Manifest

_HINT = (
    "go back to what the index was built with, or ingest again into another store.uri "
    "or store.collection"
)


def new_manifest(analyzer: str, embedder: EmbedderIdentity | None) -> Manifest:
    """Return the manifest of an index that is made now."""
    return Manifest(
        schema_version=SCHEMA_VERSION, analyzer=analyzer, embedder=embedder, created_at=now_text()
    )


def check_identity(
    manifest: Manifest, *, analyzer: str, embedder: EmbedderIdentity | None, uri: str
) -> None:
    """Refuse an index of another schema, analyser or embedder.

    No embedder is no other embedder: its words can be searched without one.

    Raises:
        IndexIdentityMismatchError: names what the index was built with and what is in use.
    """
    if manifest.schema_version != SCHEMA_VERSION:
        raise _mismatch("schema", manifest.schema_version, SCHEMA_VERSION, uri)
    if manifest.analyzer != analyzer:
        raise _mismatch("analyser", manifest.analyzer, analyzer, uri)
    if embedder is not None and manifest.embedder != embedder:
        raise _mismatch("embedder", manifest.embedder or "none", embedder, uri)


def refuse_write_without_embedder(manifest: Manifest, uri: str) -> None:
    """Raise what says that an index with vectors is not written without its embedder.

    Raises:
        IndexIdentityMismatchError: always.
    """
    raise _mismatch("embedder", manifest.embedder or "none", "none", uri, action="cannot write: ")


def _mismatch(
    what: str, built_with: object, in_use: object, uri: str, action: str = ""
) -> IndexIdentityMismatchError:
    return IndexIdentityMismatchError(
        f"{action}the index at {uri} was built with {what} {built_with}; in use is {in_use}",
        given=str(in_use),
        allowed=str(built_with),
        hint=_HINT,
        details={"what": what, "built_with": str(built_with), "in_use": str(in_use)},
    )

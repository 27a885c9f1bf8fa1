"""Builds a base from its settings, part by part."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from rag.answerability import AnswerabilityEstimator
from rag.answerability.choose_profile import choose_profile, expiry
from rag.assembly.choose_embedder import build_cache, build_embedder
from rag.assembly.choose_fusion import build_fusion, channel_weights, with_fusion
from rag.assembly.choose_store import build_store, own_profile_path
from rag.base.knowledge_base import KnowledgeBase, Parts
from rag.base.search_presenter import SearchPresenter
from rag.errors import InvalidArgumentError
from rag.evidence import (
    EvidencePacker,
    EvidencePostProcessor,
    EvidenceProjector,
    RelevanceGate,
    is_stale,
)
from rag.indexing.writer import KnowledgeWriter
from rag.ingest.heading_chunker import HeadingChunker
from rag.ranking import (
    RetrievalScoreNormalizer,
)
from rag.retrieval import DocumentFetcher, VectorSearchService
from rag.retrieval.main_headings import MainHeadings
from rag.settings import Settings, load_settings
from rag.text import Analyzer, EstimatingTokenCounter, make_token_counter
from rag.tool import LookupKnowledgeTool


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
        InvalidArgumentError: ``where`` is neither settings nor a URI.
        ConfigError: a setting is at fault.
        StoreError: the store cannot be opened, or was built by another embedder or analyser.
        EmbeddingError: the model cannot be loaded.
        MissingExtraError: the settings ask for an optional package that is not installed.
    """
    if isinstance(where, Settings):
        settings = where
    elif where is None:
        settings = load_settings()
    elif isinstance(where, str | Path):
        settings = load_settings(store={"uri": str(where)})
    else:
        raise InvalidArgumentError(
            f"a base is opened by its settings or store URI; got {type(where).__name__}",
            given=where,
            allowed="Settings, a string or a Path, or nothing for the usual settings",
            hint='such as: rag.open("./.rag")',
        )
    analyzer = Analyzer(settings.text.stemmer)
    embedder = build_embedder(settings.embedding)
    identity = embedder.identity if embedder is not None else None
    own = own_profile_path(settings.store.uri)
    choice = choose_profile(
        settings.answerability.profile,
        own,
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
            given.answerability.profile, None, analyzer=analyzer.version, embedder=identity
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
    answerability = AnswerabilityEstimator(choice.profile) if choice.profile is not None else None
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
        answerability=answerability,
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
            answerability=answerability,
            answerability_warnings=choice.warnings,
        ),
    )

"""Normaliser, post-processor and gate behind any LlamaIndex retriever."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle

from rag.evidence.records import Evidence, RelevanceDecision
from rag.integrations.llama_index.nodes import foreign_hits
from rag.settings import Settings
from rag.tool import EvidenceChain, JudgedHits
from rag.tool.foreign.hit_scale import hit_scale

ADDED = ("rank", "quality", "quality_flags", "relevance_level", "level_basis")


class EvidencePostprocessor(BaseNodePostprocessor):
    """Keeps the nodes that are evidence, in their order, with scores as they came.

    ``score_kind`` says what the retriever's scores are, since no number tells: ``cosine``,
    ``bm25``, ``rrf``, ``minmax``, or ``rank`` where the order alone is known. The nodes returned
    are copies with ``rank``, ``quality``, ``quality_flags``, ``relevance_level`` and
    ``level_basis`` in their metadata, hidden from the model. ``on_judged`` is called with all
    that became of a list, what was dropped and the verdict, before the nodes are returned;
    :meth:`judge` gives the same by hand.

    Raises:
        InvalidArgumentError: the kind is missing or unknown, or, at a call, the scores are not
            of it.
    """

    score_kind: str
    min_quality: float | None = None
    _chain: EvidenceChain = PrivateAttr()
    _on_judged: Callable[[JudgedHits], object] | None = PrivateAttr()

    def __init__(
        self,
        score_kind: str | None = None,
        *,
        min_quality: float | None = None,
        settings: Settings | None = None,
        on_judged: Callable[[JudgedHits], object] | None = None,
        **given: Any,
    ) -> None:
        fields = {"score_kind": hit_scale(score_kind).kind, "min_quality": min_quality, **given}
        super().__init__(**fields)
        self._chain = EvidenceChain(settings)
        self._on_judged = on_judged

    @classmethod
    def class_name(cls) -> str:
        """Return the name under which LlamaIndex serialises it."""
        return "EvidencePostprocessor"

    def judge(self, nodes: Sequence[NodeWithScore]) -> JudgedHits:
        """Return what of the nodes is evidence, what is not and why, and the verdict."""
        return self._chain.judge(
            foreign_hits(nodes), score_kind=self.score_kind, min_quality=self.min_quality
        )

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        judged = self.judge(nodes)
        if self._on_judged is not None:
            self._on_judged(judged)
        return [
            _rated(nodes[piece.rated.rank - 1], piece, judged.decision)
            for piece in judged.processed.evidence
        ]


def _rated(given: NodeWithScore, piece: Evidence, decision: RelevanceDecision) -> NodeWithScore:
    """Return a copy of the node with what is known of it now."""
    node = given.node.model_copy()
    node.metadata = {
        **node.metadata,
        "rank": piece.rated.rank,
        "quality": piece.rated.quality,
        "quality_flags": list(piece.rated.flags),
        "relevance_level": str(decision.level),
        "level_basis": decision.basis,
    }
    node.excluded_llm_metadata_keys = [*node.excluded_llm_metadata_keys, *ADDED]
    node.excluded_embed_metadata_keys = [*node.excluded_embed_metadata_keys, *ADDED]
    return NodeWithScore(node=node, score=given.score)

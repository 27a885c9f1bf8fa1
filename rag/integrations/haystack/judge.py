"""Normaliser, post-processor, gate and packer behind any Haystack retriever."""

from __future__ import annotations

from typing import Any

from haystack import Document, component

from rag.evidence import RagToolResult
from rag.integrations.haystack.documents import foreign_hits, judged_documents
from rag.tool import EvidenceChain
from rag.tool.foreign.hit_scale import hit_scale


@component
class EvidenceJudge:
    """Makes evidence of the documents of any retriever, and says what it is worth.

    The documents are those that are evidence and fit the budget, in their order and with their
    scores; their quality, a ranking signal, stands in their ``meta``. ``result`` holds the
    verdict, every drop with its reason and the context block. Evidence and gate follow
    ``rag.toml`` and the environment.

    Args:
        score_kind: What the retriever's scores are, since no number tells: ``cosine``, ``bm25``,
            ``rrf``, ``minmax``, or ``rank`` where the order alone is known.
        budget_tokens: Tokens that the context block may take; None takes the setting's.
        min_quality: The floor; None takes the setting's.

    Raises:
        InvalidArgumentError: the kind is missing or unknown, or, at a run, the scores are not
            of it.
    """

    def __init__(
        self,
        score_kind: str | None = None,
        *,
        budget_tokens: int | None = None,
        min_quality: float | None = None,
    ) -> None:
        self.score_kind = hit_scale(score_kind).kind
        self.budget_tokens = budget_tokens
        self.min_quality = min_quality
        self._chain = EvidenceChain()

    @component.output_types(documents=list[Document], result=RagToolResult)
    def run(self, query: str, documents: list[Document]) -> dict[str, Any]:
        """Judge one list of documents, best first."""
        result = self._chain.lookup(
            query,
            foreign_hits(documents),
            score_kind=self.score_kind,
            budget_tokens=self.budget_tokens,
            min_quality=self.min_quality,
        )
        return {"documents": judged_documents(result, documents), "result": result}

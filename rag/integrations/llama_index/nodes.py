"""LlamaIndex's nodes as hits that the evidence chain takes."""

from __future__ import annotations

from collections.abc import Sequence

from llama_index.core.schema import MetadataMode, NodeWithScore

from rag.integrations.foreign_metadata import foreign_hit
from rag.integrations.given_items import given_items
from rag.tool import ForeignHit


def foreign_hits(nodes: Sequence[NodeWithScore]) -> list[ForeignHit]:
    """Return the hits that any retriever's nodes are, in their order, scores as they are."""
    return [
        foreign_hit(
            one.node.get_content(MetadataMode.NONE),
            one.node.metadata,
            score=one.score,
            chunk_id=one.node.node_id,
            doc_id=one.node.ref_doc_id,
        )
        for one in given_items(nodes, _is_node, "a list of NodeWithScore")
    ]


def _is_node(one: object) -> bool:
    return isinstance(one, NodeWithScore)

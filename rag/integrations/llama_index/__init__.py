"""For LlamaIndex: a retriever, and a post-processor for the nodes of any retriever."""

from rag.integrations.missing_extra import missing_extra

try:
    from rag.integrations.llama_index.nodes import foreign_hits
    from rag.integrations.llama_index.postprocessor import EvidencePostprocessor
    from rag.integrations.llama_index.retriever import KnowledgeRetriever
except ModuleNotFoundError as error:
    raise missing_extra(error, extra="llama-index") from error

__all__ = ["EvidencePostprocessor", "KnowledgeRetriever", "foreign_hits"]

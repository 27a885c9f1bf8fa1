"""The store of one machine: one folder, no server, any number of reading processes."""

from rag.stores.local.lexical_retriever import LexicalRetriever
from rag.stores.local.store import LocalKnowledgeStore
from rag.stores.local.vector_retriever import VectorRetriever

__all__ = ["LexicalRetriever", "LocalKnowledgeStore", "VectorRetriever"]

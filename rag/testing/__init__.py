"""Doubles and contracts for whoever writes a store, a retriever or an embedder.

The doubles are here. The contracts are test classes to inherit from, with one fixture to give;
they need pytest, so they are imported by their module: ``rag.testing.store_contract``.
"""

from rag.testing.canned_retriever import CannedRetriever
from rag.testing.hashing_embedder import HashingEmbedder

__all__ = ["CannedRetriever", "HashingEmbedder"]

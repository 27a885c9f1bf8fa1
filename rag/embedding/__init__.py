"""Text to unit vectors: what an embedder is, what it reads, and vectors kept for next time.

The concrete embedders are modules of this package, imported only where one is chosen: each
loads an engine.
"""

from rag.embedding.coverage import covers
from rag.embedding.protocol import Embedder, EmbedderIdentity
from rag.embedding.vector_cache import VectorCache, default_cache_path

__all__ = ["Embedder", "EmbedderIdentity", "VectorCache", "covers", "default_cache_path"]

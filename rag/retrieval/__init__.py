"""From a question to labelled hits, page by page; and stored text read back."""

from rag.retrieval.document_fetcher import DocumentFetcher
from rag.retrieval.records import SearchQuery, SearchResponse
from rag.retrieval.search_service import VectorSearchService

__all__ = ["DocumentFetcher", "SearchQuery", "SearchResponse", "VectorSearchService"]

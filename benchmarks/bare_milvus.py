"""The loop that a reader would write with pymilvus alone: the measure for what the chain costs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pymilvus import DataType, Function, FunctionType, MilvusClient

from rag.embedding import Embedder
from rag.ranking import Channel, ChannelEntry, FusedEntry, FusionPolicy
from rag.text import Analyzer, encode_terms

COLLECTION = "bare"
INSERT_ROWS = 500


class BareMilvus:
    """A collection on Milvus Lite with the fields sparse and dense, searched by two calls.

    Each call asks for as many candidates as the chain does and for the text of each, which is
    what there is to show; nothing is filtered, checked, normalised, packed or cited.
    """

    def __init__(
        self, client: MilvusClient, collection: str, *, embedder: Embedder, analyzer: Analyzer
    ) -> None:
        self._client = client
        self._collection = collection
        self._embedder = embedder
        self._analyzer = analyzer

    @classmethod
    def create(cls, path: Path, *, embedder: Embedder, analyzer: Analyzer) -> BareMilvus:
        """Make an empty collection of five fields on Milvus Lite at a path."""
        client = MilvusClient(str(path))
        schema = MilvusClient.create_schema(enable_dynamic_field=False)
        schema.add_field("chunk_id", DataType.VARCHAR, is_primary=True, max_length=64)
        schema.add_field("text", DataType.VARCHAR, max_length=65_535)
        schema.add_field(
            "terms",
            DataType.VARCHAR,
            max_length=65_535,
            enable_analyzer=True,
            analyzer_params={"tokenizer": "standard"},
        )
        schema.add_field("sparse", DataType.SPARSE_FLOAT_VECTOR)
        schema.add_field("dense", DataType.FLOAT_VECTOR, dim=embedder.identity.dimensions)
        schema.add_function(
            Function(
                name="bm25",
                function_type=FunctionType.BM25,
                input_field_names=["terms"],
                output_field_names=["sparse"],
            )
        )
        indexes = MilvusClient.prepare_index_params()
        indexes.add_index("sparse", index_type="SPARSE_INVERTED_INDEX", metric_type="BM25")
        indexes.add_index("dense", index_type="FLAT", metric_type="COSINE")
        client.create_collection(COLLECTION, schema=schema, index_params=indexes)
        return cls(client, COLLECTION, embedder=embedder, analyzer=analyzer)

    def insert(self, chunks: Sequence[tuple[str, str, str]]) -> None:
        """Embed and insert chunks, each given as id, text to keep, and text to index."""
        for start in range(0, len(chunks), INSERT_ROWS):
            batch = chunks[start : start + INSERT_ROWS]
            vectors = self._embedder.embed_documents([indexed for _, _, indexed in batch])
            rows = [
                {
                    "chunk_id": chunk_id,
                    "text": text,
                    "terms": encode_terms(self._analyzer.terms(indexed)),
                    "dense": vector.tolist(),
                }
                for (chunk_id, text, indexed), vector in zip(batch, vectors, strict=True)
            ]
            self._client.insert(self._collection, rows)

    def lookup(
        self, question: str, *, candidates: int, fusion: FusionPolicy
    ) -> tuple[FusedEntry, ...]:
        """Embed the question, search words and vectors, fuse."""
        vector = self._embedder.embed_query(question)
        words = encode_terms(self._analyzer.query_terms(question))
        lexical = self._search("sparse", words, candidates)
        dense = self._search("dense", vector.tolist(), candidates)
        return fusion.fuse({Channel.LEXICAL: lexical, Channel.VECTOR: dense})

    def _search(self, field: str, data: Any, limit: int) -> list[ChannelEntry]:
        (hits,) = self._client.search(
            self._collection,
            data=[data],
            anns_field=field,
            limit=limit,
            output_fields=["chunk_id", "text"],
        )
        return [
            ChannelEntry(chunk_id=hit["entity"]["chunk_id"], rank=rank, score=hit["distance"])
            for rank, hit in enumerate(hits, start=1)
        ]

    def close(self) -> None:
        self._client.close()

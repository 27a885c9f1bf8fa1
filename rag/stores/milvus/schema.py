"""The collection of chunk rows: its fields, its indexes, and the limits of its values."""

from __future__ import annotations

from typing import Final

from pymilvus import CollectionSchema, DataType, Function, FunctionType, MilvusClient
from pymilvus.milvus_client.index import IndexParams

from rag.errors import ConfigError
from rag.stores.milvus.engine import Engine

SCHEMA_VERSION: Final = 1  # raise it whenever a field changes; an index of another is refused

MAX_VARCHAR_BYTES: Final = 65_535  # a server counts bytes, Milvus Lite characters
MAX_TAGS: Final = 1_024
MAX_TAG_BYTES: Final = 4_096
MAX_OVERFLOW_SLICES: Final = 256  # of 65,535 bytes: 16 MB of text in one chunk

TEXT: Final = "text"
TERMS: Final = "terms"
SPARSE: Final = "sparse"
DENSE: Final = "dense"
ROW_ID: Final = "row_id"

# What a candidate needs before it is known whether anyone will read its text. Fields cost: 200
# candidates of both channels take 41 ms with five short fields and 57 ms with all (5,000 chunks,
# Lite); the key holds chunk id and write, so they are not fetched beside it.
CANDIDATE_FIELDS: Final = (ROW_ID, "doc_id", "generation")
# The fields that a filter key is decided by, so that it can be checked again after the engine.
FILTER_FIELDS: Final = {
    "tags": "tags",
    "media": "media",
    "lang": "language",
    "source": "source",
    "source_type": "source_type",
    "trust_min": "trust",
    "tenant": "tenant",
    "path_prefix": "uri",
    "path_glob": "uri",
    "doc_id": "doc_id",
    "indexed_after": "indexed_at",
}
CHUNK_FIELDS: Final = (
    *CANDIDATE_FIELDS,
    "chunk_id",
    "batch",
    "content_hash",
    "ordinal",
    TEXT,
    "text_overflow",
    "heading_path",
    "span_kind",
    "span_start",
    "span_end",
    "uri",
    "title",
    "media",
    "language",
    "tags",
    "source",
    "source_type",
    "trust",
    "tenant",
    "indexed_at",
)
DOCUMENT_FIELDS: Final = (
    "doc_id",
    "batch",
    "generation",
    "uri",
    "title",
    "media",
    "language",
    "tags",
    "source",
    "source_type",
    "trust",
    "tenant",
    "indexed_at",
    "document_hash",
    "chunk_count",
    "vector_count",
    "byte_size",
)
_INDEXED_SCALARS: Final = ("doc_id", "chunk_id", "uri", "source", "media", "language", "head")


def chunk_schema(engine: Engine, dimensions: int | None) -> CollectionSchema:
    """Return the schema of the chunk rows.

    One row per chunk and generation; its key is the chunk id and the write that made it, so that
    two generations of an unchanged chunk stand side by side until the older is retired. ``part``
    is 0 for a chunk, 1, 2, … for rows with further words of a chunk whose words are longer than
    a VARCHAR, and -1 for a document without chunks. ``head`` is true of one row per document
    and write. ``dimensions`` None leaves the dense field out: an index of words alone.
    """
    schema = MilvusClient.create_schema(enable_dynamic_field=False)
    add = schema.add_field
    add(ROW_ID, DataType.VARCHAR, is_primary=True, max_length=256)
    for name, length in (("chunk_id", 128), ("doc_id", 128), ("batch", 64), ("content_hash", 128)):
        add(name, DataType.VARCHAR, max_length=length)
    for name in ("ordinal", "part", "generation", "span_start", "span_end"):
        add(name, DataType.INT64)
    for name in (
        "char_start",
        "char_end",
        "indexed_us",
        "chunk_count",
        "vector_count",
        "byte_size",
    ):
        add(name, DataType.INT64)
    add("head", DataType.BOOL)
    add("has_vector", DataType.BOOL)
    for name in ("heading_path", "uri", "title", "language", "source", "source_type"):
        add(name, DataType.VARCHAR, max_length=MAX_VARCHAR_BYTES)
    for name in ("span_kind", "media", "trust", "indexed_at", "document_hash"):
        add(name, DataType.VARCHAR, max_length=256)
    # Lite hashes tenants into sixteen separate parts, each with word statistics of its own
    add("tenant", DataType.VARCHAR, max_length=4_096, is_partition_key=not engine.lite)
    add(
        "tags",
        DataType.ARRAY,
        element_type=DataType.VARCHAR,
        max_capacity=MAX_TAGS,
        max_length=MAX_TAG_BYTES,
    )
    # Lite looks into arrays row by row in Python (190 ms for 5,000 rows), into strings in C (3 ms)
    add("tag_keys", DataType.VARCHAR, max_length=MAX_VARCHAR_BYTES)
    add(TEXT, DataType.VARCHAR, max_length=MAX_VARCHAR_BYTES)
    add(
        "text_overflow",
        DataType.ARRAY,
        element_type=DataType.VARCHAR,
        max_capacity=MAX_OVERFLOW_SLICES,
        max_length=MAX_VARCHAR_BYTES,
    )
    add(
        TERMS,
        DataType.VARCHAR,
        max_length=MAX_VARCHAR_BYTES,
        enable_analyzer=True,
        analyzer_params={"tokenizer": "standard" if engine.lite else "whitespace"},
    )
    add(SPARSE, DataType.SPARSE_FLOAT_VECTOR)
    if dimensions is not None:
        add(DENSE, DataType.FLOAT_VECTOR, dim=dimensions)
    schema.add_function(
        Function(
            name="bm25",
            function_type=FunctionType.BM25,
            input_field_names=[TERMS],
            output_field_names=[SPARSE],
        )
    )
    return schema


def chunk_indexes(engine: Engine, *, dense: bool, bm25_k1: float, bm25_b: float) -> IndexParams:
    """Return the index of each searched field.

    Milvus Lite compares with every vector (exact; its graph index is slower at the sizes it is
    for); a server chooses and tunes its own (AUTOINDEX), as Zilliz demands.

    Raises:
        ConfigError: ``bm25_k1`` is 0, which Milvus does not take.
    """
    if bm25_k1 <= 0:
        raise ConfigError(
            f"search.bm25_k1 is {bm25_k1:g}; Milvus needs it above 0",
            given=bm25_k1,
            allowed="above 0; 1.2 by default",
        )
    bm25 = {"bm25_k1": bm25_k1, "bm25_b": bm25_b}
    indexes = MilvusClient.prepare_index_params()
    indexes.add_index(
        SPARSE,
        index_type="SPARSE_INVERTED_INDEX",
        metric_type="BM25",
        # pymilvus 3 sends each parameter by itself, as a server takes them; Milvus Lite 3.2.2
        # reads them from one called "params", and passes over the others without a word
        params={"params": bm25}
        if engine.lite
        else {"inverted_index_algo": "DAAT_MAXSCORE", **bm25},
    )
    if dense:
        indexes.add_index(
            DENSE, index_type="FLAT" if engine.lite else "AUTOINDEX", metric_type="COSINE"
        )
    if not engine.lite:
        for name in _INDEXED_SCALARS:
            indexes.add_index(name, index_type="AUTOINDEX")
    return indexes


def create_collection(
    client: MilvusClient,
    engine: Engine,
    name: str,
    schema: CollectionSchema,
    indexes: IndexParams,
    timeout_s: float,
) -> None:
    """Create, index and load a collection; on Lite without pymilvus' wait of 0.5 s per index."""
    client.create_collection(name, schema=schema, timeout=timeout_s)
    # Lite builds an index in the call itself, so there is nothing to wait for
    if len(indexes):
        client.create_index(name, indexes, timeout=timeout_s, sync=not engine.lite)
    client.load_collection(name, timeout=timeout_s)

"""The published objects by name, and their JSON schemas."""

from __future__ import annotations

from inspect import getdoc
from typing import Any

from pydantic import TypeAdapter

from rag.errors import InvalidArgumentError
from rag.evidence.batch_records import RagBatchResult
from rag.evidence.records import RagToolResult
from rag.ingest.records import IngestReport
from rag.retrieval.document_fetcher import FetchResult
from rag.stores.store_copy import CopyReport
from rag.wire.base_reports import (
    Capabilities,
    ChunkInspection,
    DeletionReport,
    DoctorReport,
    DocumentInspection,
    DocumentList,
    InitReport,
    QuickstartReport,
)
from rag.wire.bulk_search import BulkItem
from rag.wire.error_object import ErrorObject
from rag.wire.evaluation_records import CalibrationReport, EvalComparison, EvalReport
from rag.wire.search_response import ResultHit, SearchResult

WIRE_TYPES: dict[str, type[Any]] = {
    "bulk_item.v1": BulkItem,
    "calibration.v1": CalibrationReport,
    "chunk_inspection.v1": ChunkInspection,
    "copy_report.v1": CopyReport,
    "deletion_report.v1": DeletionReport,
    "document_inspection.v1": DocumentInspection,
    "document_list.v1": DocumentList,
    "doctor.v1": DoctorReport,
    "error.v1": ErrorObject,
    "eval_comparison.v1": EvalComparison,
    "eval_report.v1": EvalReport,
    "fetch_result.v1": FetchResult,
    "ingest_report.v1": IngestReport,
    "init_report.v1": InitReport,
    "quickstart_report.v1": QuickstartReport,
    "rag_batch_result.v1": RagBatchResult,
    "rag_tool_result.v1": RagToolResult,
    "schema.v1": Capabilities,
    "search_hit.v1": ResultHit,
    "search_response.v1": SearchResult,
}


def json_schema(name: str) -> dict[str, Any]:
    """Return the JSON schema (draft 2020-12) of a published object, closed to unknown fields.

    Raises:
        InvalidArgumentError: no object has this name.
    """
    if name not in WIRE_TYPES:
        names = ", ".join(WIRE_TYPES)
        raise InvalidArgumentError(
            f"unknown object {name!r}; expected one of: {names}", given=name, allowed=names
        )
    kind = WIRE_TYPES[name]
    schema = TypeAdapter(kind).json_schema(mode="serialization")
    schema["description"] = " ".join((getdoc(kind) or "").replace("``", "`").split())
    for part in (schema, *schema.get("$defs", {}).values()):
        if part.get("type") == "object" and "properties" in part:
            part["additionalProperties"] = False
            part["required"] = sorted(part["properties"])  # an emitted object has every field
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": name}

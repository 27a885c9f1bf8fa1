"""Spans in the OpenInference conventions: a tool for each look-up, a retriever for each search.

This module needs the extra ``otel``; nothing else imports it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from openinference.semconv.trace import (
    DocumentAttributes,
    OpenInferenceMimeTypeValues,
    OpenInferenceSpanKindValues,
    SpanAttributes,
)
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, Status, StatusCode

from rag import __version__
from rag.errors import RagError
from rag.retrieval import SearchQuery, SearchResponse, VectorSearchService
from rag.surfaces.http_api.spans import ToolSpan

TRACER = "rag-evidence"
ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
MOST_DOCUMENTS = 50  # of one span; collectors cut larger ones

JSON = OpenInferenceMimeTypeValues.JSON.value
TOOL = OpenInferenceSpanKindValues.TOOL.value
RETRIEVER = OpenInferenceSpanKindValues.RETRIEVER.value


class OpenInferenceSpans:
    """Makes tool spans; what they hold goes to the process's tracer provider."""

    @contextmanager
    def tool(self, name: str, arguments: Mapping[str, Any]) -> Iterator[ToolSpan]:
        attributes = {
            SpanAttributes.OPENINFERENCE_SPAN_KIND: TOOL,
            SpanAttributes.TOOL_NAME: name,
            SpanAttributes.INPUT_VALUE: json.dumps(arguments, default=str),
            SpanAttributes.INPUT_MIME_TYPE: JSON,
        }
        with _span(name, attributes) as span:
            yield _Output(span)


class TracingSearchService(VectorSearchService):
    """A search service each of whose searches is a retriever span."""

    def search(self, query: SearchQuery) -> SearchResponse:
        attributes = {
            SpanAttributes.OPENINFERENCE_SPAN_KIND: RETRIEVER,
            SpanAttributes.INPUT_VALUE: query.text,
        }
        with _span("search", attributes) as span:
            response = super().search(query)
            if span.is_recording():
                span.set_attributes(_documents(response))
            return response


class _Output:
    def __init__(self, span: Span) -> None:
        self._span = span

    def set_output(self, output: str) -> None:
        self._span.set_attribute(SpanAttributes.OUTPUT_VALUE, output)
        self._span.set_attribute(SpanAttributes.OUTPUT_MIME_TYPE, JSON)


@contextmanager
def _span(name: str, attributes: Mapping[str, Any]) -> Iterator[Span]:
    """Yield a span; an error of ours ends it as failed, by its code."""
    tracer = trace.get_tracer(TRACER, __version__)
    with tracer.start_as_current_span(name, attributes=attributes) as span:
        try:
            yield span
        except RagError as error:
            span.set_status(Status(StatusCode.ERROR, error.message))
            span.set_attribute("error.type", error.code)
            raise


def _documents(response: SearchResponse) -> dict[str, Any]:
    found: dict[str, Any] = {"rag.mode": str(response.mode), "rag.revision": response.revision}
    for place, hit in enumerate(response.hits[:MOST_DOCUMENTS]):
        prefix = f"{SpanAttributes.RETRIEVAL_DOCUMENTS}.{place}."
        found[prefix + DocumentAttributes.DOCUMENT_ID] = hit.chunk.chunk_id
        found[prefix + DocumentAttributes.DOCUMENT_CONTENT] = hit.chunk.text
        if hit.score is not None:
            found[prefix + DocumentAttributes.DOCUMENT_SCORE] = hit.score
        metadata = {"ref": hit.chunk.citation_uri(), "score_kind": str(hit.score_kind)}
        found[prefix + DocumentAttributes.DOCUMENT_METADATA] = json.dumps(metadata)
    return found


def export_spans() -> None:
    """Send this process's spans where the environment says, if it names an endpoint."""
    if not any(os.environ.get(name) for name in ENDPOINTS):
        return
    provider = TracerProvider(resource=Resource.create({"service.name": TRACER}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)

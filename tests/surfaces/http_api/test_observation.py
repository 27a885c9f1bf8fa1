"""What a service tells whoever runs it: request ids, logs, counters, spans."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from rag.assembly import open_base
from rag.surfaces.http_api.services import build_services
from rag.surfaces.http_api.tracing import OpenInferenceSpans, TracingSearchService
from rag.surfaces.shared_base import SharedBase
from tests.surfaces.http_api.service import (
    client_of,
    fill,
    key_table,
    services_in,
    settings_in,
    with_key,
)


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO, logger="rag")
    return caplog


def _facts(logged: pytest.LogCaptureFixture, event: str) -> list[dict[str, Any]]:
    return [r.rag_facts for r in logged.records if getattr(r, "rag_event", "") == event]  # type: ignore[attr-defined]  # our own records have it


@pytest.mark.scenario("http-api", "A request with an id")
def test_a_requests_id_is_in_its_answer_its_log_and_its_error(
    reader: TestClient, logged: pytest.LogCaptureFixture
):
    answer = reader.post("/v1/lookup", json={}, headers={"x-request-id": "trace-17"})
    assert answer.headers["x-request-id"] == "trace-17"
    assert answer.json()["instance"] == "urn:rag-evidence:request:trace-17"
    (facts,) = _facts(logged, "answered")
    assert (facts["request_id"], facts["status"], facts["path"]) == ("trace-17", 400, "/v1/lookup")


@pytest.mark.parametrize("given", ["", "x" * 65, "two words", "line\tbreak", "é"])
def test_an_id_that_is_no_plain_one_is_replaced(reader: TestClient, given: str):
    answer = reader.get("/healthz", headers={"x-request-id": given.encode("latin-1")})
    assert len(answer.headers["x-request-id"]) == 32


def test_the_log_names_the_key_and_never_shows_it_nor_the_question(
    tmp_path: Path, logged: pytest.LogCaptureFixture
):
    services = services_in(tmp_path, server={"keys": [key_table("ci", "the-key-itself", "read")]})
    client = client_of(services, **with_key("the-key-itself"))
    client.post("/v1/lookup", json={"query": "a private question"})
    assert _facts(logged, "answered")[0]["key"] == "ci"
    assert "the-key-itself" not in logged.text
    assert "private" not in logged.text
    services.close()


def test_a_fault_of_ours_is_logged_and_told_without_details(
    reader: TestClient, logged: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
):
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("internal words")

    monkeypatch.setattr("rag.surfaces.http_api.lookup_routes.to_json", broken)
    answer = reader.post("/v1/lookup", json={"query": "x"})
    assert (answer.status_code, answer.json()["code"]) == (500, "error")
    assert "internal words" not in answer.text
    (facts,) = _facts(logged, "a request failed by a fault of this program")
    assert "internal words" in facts["error"]
    assert facts["request_id"] == answer.headers["x-request-id"]
    assert answer.headers["content-security-policy"]


def _counters(client: TestClient) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    page = client.get("/metrics")
    assert page.headers["content-type"].startswith("text/plain")
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(page.text)
        for sample in family.samples
    }


@pytest.mark.scenario("http-api", "Counters after two look-ups")
def test_counters_tell_of_requests_verdicts_and_what_the_base_holds(tmp_path: Path):
    services = services_in(tmp_path)
    fill(services.base, {"a.md": "backups are kept", "b.md": "other words"})
    client = client_of(services)
    for _ in range(2):
        client.post("/v1/lookup", json={"query": "backups"})
    client.get("/v1/documents/one")
    client.get("/v1/documents/two")
    client.get("/nothing/one")
    client.request("BREW", "/nothing/two")
    counted = _counters(client)

    def answered(method: str, route: str, status: int) -> float | None:
        labels = (("method", method), ("route", route), ("status", str(status)))
        return counted.get(("rag_http_requests_total", labels))

    assert answered("POST", "/v1/lookup", 200) == 2
    assert answered("GET", "/v1/documents/{document}", 404) == 2
    assert answered("GET", "(none)", 404) == 1
    assert answered("(other)", "(none)", 404) == 1
    verdict = (("level", "medium"), ("mode", "hybrid"), ("reason", "ok"))
    assert counted[("rag_lookups_total", verdict)] == 2
    assert counted[("rag_documents", ())] == 2
    assert counted[("rag_requests_under_way", (("work", "read"),))] == 1  # this very request
    services.close()


def test_two_services_in_one_process_count_apart(tmp_path: Path):
    one, other = services_in(tmp_path / "one"), services_in(tmp_path / "other")
    client_of(one).post("/v1/lookup", json={"query": "x"})
    assert "rag_lookups_total{" in client_of(one).get("/metrics").text
    assert "rag_lookups_total{" not in client_of(other).get("/metrics").text
    one.close()
    other.close()


@pytest.fixture(scope="module")
def exporter() -> InMemorySpanExporter:
    """Collects spans; a process can set its tracer provider only once."""
    spans = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    trace.set_tracer_provider(provider)
    return spans


def _by_name(exporter: InMemorySpanExporter) -> dict[str, ReadableSpan]:
    return {span.name: span for span in exporter.get_finished_spans()}


@pytest.mark.scenario("http-api", "Spans of a look-up")
def test_a_look_up_is_a_tool_span_with_a_retriever_span_inside(
    tmp_path: Path, exporter: InMemorySpanExporter
):
    settings = settings_in(tmp_path, server={"tracing": True})
    base = open_base(settings, service_type=TracingSearchService)
    fill(base, {"a.md": "backups are kept for 35 days"})
    services = build_services(settings, SharedBase(lambda create: base), spans=OpenInferenceSpans())
    client = client_of(services)
    exporter.clear()
    answer = client.post("/v1/lookup", json={"query": "backups"})
    spans = _by_name(exporter)
    tool, search = spans["lookup_knowledge"], spans["search"]
    assert tool.attributes is not None
    assert search.attributes is not None
    assert tool.attributes["openinference.span.kind"] == "TOOL"
    assert json.loads(str(tool.attributes["input.value"])) == {"query": "backups"}
    assert json.loads(str(tool.attributes["output.value"])) == answer.json()
    assert search.attributes["openinference.span.kind"] == "RETRIEVER"
    assert search.parent is not None
    assert tool.context is not None
    assert search.parent.span_id == tool.context.span_id
    found = answer.json()["evidence"][0]
    prefix = "retrieval.documents.0.document."
    assert search.attributes[prefix + "id"] == found["citation"]["chunk_id"]
    assert search.attributes[prefix + "content"] == found["text"]
    assert search.attributes[prefix + "score"] == 1.0

    exporter.clear()
    client.post("/v1/lookup", json={"query": "  "})
    failed = _by_name(exporter)["lookup_knowledge"]
    assert failed.attributes is not None
    assert failed.attributes["error.type"] == "empty_query"
    assert not failed.status.is_ok
    services.close()

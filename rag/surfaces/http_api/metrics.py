"""What a service counts, for Prometheus, in a registry of its own."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)

from rag import __version__
from rag.evidence.batch_records import BatchAnswer
from rag.evidence.records import RagToolResult
from rag.stores.records import StoreStats

# Seconds. A look-up on a small base takes some milliseconds, a large one on a server up to the
# deadline of ten seconds.
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
MEDIA_TYPE = CONTENT_TYPE_LATEST


class ServiceMetrics:
    """Counters and gauges of one service.

    Routes are named by their pattern, such as ``/v1/documents/{document}``, so that no request can
    make a new series.

    Args:
        under_way: Tells how many requests run or wait, by what they do.
    """

    def __init__(self, under_way: dict[str, Callable[[], float]]) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "rag_http_requests",
            "Requests answered.",
            ("method", "route", "status"),
            registry=self.registry,
        )
        self._seconds = Histogram(
            "rag_http_request_seconds",
            "From the request's first byte to the answer's last.",
            ("route",),
            buckets=BUCKETS,
            registry=self.registry,
        )
        self._lookups = Counter(
            "rag_lookups",
            "Questions looked up, by verdict.",
            ("mode", "level", "reason"),
            registry=self.registry,
        )
        self._degraded = Counter(
            "rag_channel_failures",
            "Look-ups that a channel failed.",
            ("channel",),
            registry=self.registry,
        )
        waiting = Gauge(
            "rag_requests_under_way",
            "Requests that run or wait.",
            ("work",),
            registry=self.registry,
        )
        for work, count in under_way.items():
            waiting.labels(work).set_function(count)
        self._documents = Gauge("rag_documents", "Documents stored.", registry=self.registry)
        self._chunks = Gauge("rag_chunks", "Chunks stored.", registry=self.registry)
        build = Gauge("rag_build", "This version.", ("version",), registry=self.registry)
        build.labels(__version__).set(1)

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def looked_up(self, result: RagToolResult | BatchAnswer) -> None:
        """Count a look-up by its verdict."""
        self._lookups.labels(result.mode, str(result.relevance_level), str(result.reason)).inc()
        for channel in result.degraded:
            self._degraded.labels(channel).inc()

    def holds(self, stats: StoreStats | None) -> None:
        """Note how much the base holds; None where there is none yet."""
        self._documents.set(stats.documents if stats is not None else 0)
        self._chunks.set(stats.chunks if stats is not None else 0)

    def page(self) -> bytes:
        """Return everything in Prometheus' text format."""
        return generate_latest(self.registry)

"""Everything that the routes of one service share."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import cast

from starlette.requests import Request

from rag.assembly import is_server
from rag.base.knowledge_base import KnowledgeBase
from rag.errors import StoreNotInitialisedError
from rag.settings import Settings
from rag.stores.records import StoreStats
from rag.surfaces.http_api.api_keys import ApiKeyRing
from rag.surfaces.http_api.metrics import ServiceMetrics
from rag.surfaces.http_api.spans import NoSpans, Spans
from rag.surfaces.http_api.work_pool import WorkPool
from rag.surfaces.shared_base import SharedBase

# A look-up on an engine in this process computes all the time; more threads than cores hand the
# interpreter's lock round and do less together (measured: 16 threads half of what one does).
# Where the store or the embedder is a server, it waits for the network most of the time.
LEAST_WORKERS = 2  # so that a long batch does not keep everybody waiting
WORKERS_PER_CORE_ON_SERVERS = 8
WRITES_WAITING = 16  # an ingest may take minutes, so a longer queue would only time out


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The base, who may use it, and the threads that do the work."""

    settings: Settings
    shared: SharedBase
    keys: ApiKeyRing
    reads: WorkPool
    writes: WorkPool
    metrics: ServiceMetrics
    spans: Spans = field(default_factory=NoSpans)

    @property
    def base(self) -> KnowledgeBase:
        """The base to read from, opened by the first who asks; call this in a worker's thread.

        A store that does not exist is an error, never made.
        """
        return self.shared.get()

    @property
    def base_to_write(self) -> KnowledgeBase:
        """The base to store documents in, made where it does not exist."""
        return self.shared.get(create=True)

    def stats(self) -> StoreStats | None:
        """Return how much the base holds; None where it is yet to be made by a document."""
        try:
            return self.base.parts.store.stats()
        except StoreNotInitialisedError:
            if self.settings.readonly:
                raise
            return None

    def close(self) -> None:
        """Finish what runs, then free the base."""
        self.reads.close()
        self.writes.close()
        self.shared.close()


def build_services(
    settings: Settings, shared: SharedBase, *, spans: Spans | None = None
) -> Services:
    """Return what the routes need, by the settings."""
    server = settings.server
    cores = os.cpu_count() or 1
    reads = WorkPool(
        "read",
        workers=server.workers or default_workers(settings, cores),
        waiting=server.waiting,
        timeout_s=server.timeout_s,
    )
    # one at a time: the store lets one writer in anyway, and look-ups keep their threads
    writes = WorkPool("write", workers=1, waiting=WRITES_WAITING, timeout_s=server.write_timeout_s)
    return Services(
        settings=settings,
        shared=shared,
        keys=ApiKeyRing(server.keys),
        reads=reads,
        writes=writes,
        metrics=ServiceMetrics({"read": lambda: reads.taken, "write": lambda: writes.taken}),
        spans=spans or NoSpans(),
    )


def default_workers(settings: Settings, cores: int) -> int:
    """Return how many look-ups run at a time where the settings leave it open."""
    waits = is_server(settings.store.uri) or settings.embedding.embedder == "openai"
    return WORKERS_PER_CORE_ON_SERVERS * cores if waits else max(LEAST_WORKERS, cores)


def services_of(request: Request) -> Services:
    """Return the services of the application that a request came to."""
    return cast("Services", request.app.state.services)

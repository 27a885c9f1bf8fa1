"""How much, how large, how long: limits on size, number and time."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from rag.assembly import open_base
from rag.errors import DeadlineExceededError, OverloadedError
from rag.settings import load_settings
from rag.surfaces.http_api.services import build_services, default_workers
from rag.surfaces.http_api.work_pool import WorkPool
from rag.surfaces.shared_base import SharedBase
from tests.surfaces.http_api.blocking import BlockingService
from tests.surfaces.http_api.service import client_of, services_in, settings_in

PATIENCE_S = 60


@pytest.mark.scenario("http-api", "A body over the limit")
def test_a_body_over_the_limit_is_refused(tmp_path: Path):
    client = client_of(services_in(tmp_path, server={"max_request_bytes": 1_000}))
    fits = client.post("/v1/lookup", json={"query": "x" * 900})
    assert fits.status_code == 200
    for body in ({"content": b'{"query": "' + b"x" * 1_000 + b'"}'}, {"content": _in_parts()}):
        answer = client.post("/v1/lookup", headers={"content-type": "application/json"}, **body)
        assert answer.status_code == 413
        assert answer.json()["allowed"] == "at most 1,000 bytes"


def _in_parts() -> Any:
    """Yield a body that does not say how long it is."""
    yield b'{"query": "'
    for _ in range(20):
        yield b"x" * 100


def test_an_upload_may_be_as_large_as_a_file(tmp_path: Path):
    services = services_in(
        tmp_path, server={"max_request_bytes": 1_000}, ingest={"max_file_bytes": 50_000}
    )
    client = client_of(services)
    fits = client.post("/v1/documents", files={"file": ("a.md", b"word " * 9_000)})
    over = client.post("/v1/documents", files={"file": ("a.md", b"word " * 40_000)})
    assert (fits.status_code, over.status_code) == (200, 413)
    services.close()


@pytest.mark.parametrize(
    ("settings", "workers"),
    [
        ({}, 4),
        ({"store": {"uri": "kb.db"}}, 4),
        ({"store": {"uri": "http://127.0.0.1:19530"}}, 8 * 4),
        (
            {
                "embedding": {
                    "embedder": "openai",
                    "model": "m",
                    "base_url": "http://127.0.0.1:1/v1",
                }
            },
            8 * 4,
        ),
    ],
)
def test_more_run_at_a_time_where_a_look_up_waits_for_a_server(
    settings: dict[str, Any], workers: int
):
    assert default_workers(load_settings(**settings), cores=4) == workers


def test_a_long_batch_leaves_a_worker_free_on_one_core():
    assert default_workers(load_settings(), cores=1) == 2


@pytest.mark.scenario("http-api", "More look-ups than places")
def test_what_finds_no_place_is_told_to_come_again(tmp_path: Path):
    """One worker, one place to wait: of three at a time the third is turned away."""
    settings = settings_in(tmp_path, server={"workers": 1, "waiting": 1})
    base = open_base(settings, service_type=BlockingService)
    gate = BlockingService.gate_of(base)
    services = build_services(settings, SharedBase(lambda create: base))
    with client_of(services) as client, ThreadPoolExecutor(2) as others:
        held = [others.submit(client.post, "/v1/lookup", json={"query": "x"}) for _ in range(2)]
        while services.reads.taken < 2:
            assert gate.entered.wait(PATIENCE_S)
        answer = client.post("/v1/lookup", json={"query": "x"})
        assert client.get("/healthz").status_code == 200
        gate.open()
        assert [one.result().status_code for one in held] == [200, 200]
    assert (answer.status_code, answer.json()["code"]) == (503, "overloaded")
    assert answer.headers["retry-after"] == "1"


@pytest.mark.scenario("http-api", "A look-up that takes too long")
def test_a_request_that_takes_too_long_is_given_up(tmp_path: Path):
    settings = settings_in(tmp_path, server={"timeout_s": 0.05})
    base = open_base(settings, service_type=BlockingService)
    gate = BlockingService.gate_of(base)
    services = build_services(settings, SharedBase(lambda create: base))
    client = client_of(services)
    answer = client.post("/v1/lookup", json={"query": "x"})
    assert (answer.status_code, answer.json()["code"]) == (503, "deadline_exceeded")
    assert answer.headers["retry-after"] == "1"
    assert services.reads.taken == 1  # it still runs, so it still has its place
    gate.open()
    services.close()
    assert services.reads.taken == 0


def test_a_pool_turns_away_what_it_has_no_place_for():
    pool = WorkPool("read", workers=1, waiting=0, timeout_s=PATIENCE_S)
    begun, done = Event(), Event()

    def hold() -> None:
        begun.set()
        done.wait(PATIENCE_S)

    async def scene() -> None:
        first = asyncio.create_task(pool.run(hold))
        await asyncio.to_thread(begun.wait, PATIENCE_S)
        with pytest.raises(OverloadedError, match="has 1 requests to read under way"):
            await pool.run(lambda: None)
        done.set()
        await first
        assert pool.taken == 0

    asyncio.run(scene())
    pool.close()


def test_what_waits_too_long_never_begins():
    pool = WorkPool("read", workers=1, waiting=1, timeout_s=0.05)
    done = Event()
    begun: list[str] = []

    async def scene() -> None:
        first = asyncio.create_task(pool.run(lambda: done.wait(PATIENCE_S)))
        second = asyncio.create_task(pool.run(lambda: begun.append("second")))
        for task in (first, second):
            with pytest.raises(DeadlineExceededError):
                await task
        assert pool.taken == 1

    asyncio.run(scene())
    done.set()
    pool.close()
    assert (begun, pool.taken) == ([], 0)


def test_work_sees_the_context_of_its_caller_and_errors_come_through():
    pool = WorkPool("read", workers=1, waiting=0, timeout_s=PATIENCE_S)
    name: ContextVar[str] = ContextVar("name")

    def fail() -> None:
        raise KeyError("x")

    async def scene() -> str:
        name.set("caller")
        with pytest.raises(KeyError):
            await pool.run(fail)
        return await pool.run(name.get)

    assert asyncio.run(scene()) == "caller"
    pool.close()


def test_a_pool_that_closes_waits_for_what_runs():
    pool = WorkPool("read", workers=1, waiting=0, timeout_s=0.01)
    begun, done = Event(), Event()
    finished: list[bool] = []

    def work() -> None:
        begun.set()
        finished.append(done.wait(PATIENCE_S))

    async def scene() -> None:
        with pytest.raises(DeadlineExceededError):
            await pool.run(work)

    asyncio.run(scene())
    closing = Thread(target=pool.close)
    closing.start()
    assert finished == []
    done.set()
    closing.join(PATIENCE_S)
    assert finished == [True]


def test_a_deadline_beyond_the_services_own_is_cut_to_it(tmp_path: Path):
    """Else a client could hold a worker for as long as it likes."""
    settings = settings_in(tmp_path, server={"timeout_s": 5})
    base = open_base(settings, service_type=BlockingService)
    gate = BlockingService.gate_of(base)
    gate.open()
    client = client_of(build_services(settings, SharedBase(lambda create: base)))
    client.post("/v1/lookup", json={"query": "x", "deadline_s": 1e9})
    client.post("/v1/lookup", json={"query": "x", "deadline_s": 2.0})
    assert gate.deadlines == [5.0, 2.0]

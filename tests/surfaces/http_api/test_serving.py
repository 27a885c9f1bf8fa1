"""The service on a real port: the command, and an end that drops nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest

from rag.assembly import open_base
from rag.surfaces.http_api.services import build_services
from rag.surfaces.shared_base import SharedBase
from tests.surfaces.http_api.blocking import BlockingService
from tests.surfaces.http_api.running import PATIENCE_S, ROOT, running, served
from tests.surfaces.http_api.service import settings_in

QUESTION = {"query": "How long are backups kept?"}


@pytest.mark.scenario("http-api", "Stopped during a look-up")
def test_a_look_up_that_runs_is_finished_when_the_service_stops(tmp_path: Path):
    settings = settings_in(tmp_path)
    base = open_base(settings, service_type=BlockingService)
    base.ingest_text("Backups are kept for 35 days.", name="a.md")
    gate = BlockingService.gate_of(base)
    services = build_services(settings, SharedBase(lambda create: base))
    with running(services) as (address, server), ThreadPoolExecutor(1) as other:
        asked = other.submit(httpx2.post, f"{address}/v1/lookup", json=QUESTION, timeout=PATIENCE_S)
        assert gate.entered.wait(PATIENCE_S)
        server.should_exit = True
        gate.open()
        answer = asked.result(PATIENCE_S)
    assert answer.status_code == 200
    assert answer.json()["evidence"][0]["text"] == "Backups are kept for 35 days."


@pytest.mark.scenario("http-api", "Served by the command")
@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_the_command_serves_until_it_is_told_to_stop(tmp_path: Path, stop: signal.Signals):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("Backups are kept for 35 days.")
    with served(tmp_path, "--root", "docs") as (address, process):
        assert process.stderr is not None
        assert "there is no base at ./.rag yet; " in process.stderr.readline()
        assert httpx2.get(f"{address}/readyz").json() == {"status": "ready"}
        report = httpx2.post(f"{address}/v1/documents", json={"path": "."}, timeout=PATIENCE_S)
        assert report.json()["new"] == 1
        answer = httpx2.post(f"{address}/v1/lookup", json=QUESTION)
        assert answer.json()["evidence"][0]["citation"]["ref"] == "a.md#L1"
        assert "<h2" in httpx2.get(f"{address}/").text
        process.send_signal(stop)
        out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out, err) == (0, "", "stopped\n")


def _refused(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "rag", "serve", "--embedder", "hashing", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("--host", "0.0.0.0"), 1, "no API key is set"),
        (("--host", "no-such-host.invalid"), 1, "no API key is set"),
        (("--port", "70000"), 2, "server.port"),
        (("--new-key", "no name"), 2, "'name' cannot be"),
    ],
)
def test_what_cannot_be_served_is_a_sentence_and_an_exit_code(
    tmp_path: Path, arguments: tuple[str, ...], code: int, says: str
):
    done = _refused(tmp_path, *arguments)
    assert done.returncode == code
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "kb").exists()


def test_an_address_in_use_is_said_so(tmp_path: Path):
    with served(tmp_path) as (address, _):
        port = address.rsplit(":", 1)[1]
        done = _refused(tmp_path, "--port", port, "--store", "other")
    assert done.returncode == 2
    assert f"cannot listen on 127.0.0.1 port {port}" in done.stderr


def test_a_watched_folder_is_followed_while_it_serves(tmp_path: Path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("Backups are kept for 35 days.")
    with served(tmp_path, "--watch", "docs") as (address, process):
        assert process.stdout is not None
        assert "1 new" in process.stdout.readline()
        answer = httpx2.post(f"{address}/v1/lookup", json=QUESTION)
        assert answer.json()["evidence"][0]["citation"]["ref"] == "a.md#L1"
        (tmp_path / "docs" / "b.md").write_text("Backups are tested each week.")
        assert "1 new" in process.stdout.readline()
        assert httpx2.get(f"{address}/v1/documents").json()["total"] == 2


@pytest.mark.scenario("http-api", "A base that is not there")
def test_a_base_that_is_not_there_is_told_of_and_made_by_the_first_document_alone(tmp_path: Path):
    with served(tmp_path, "--store", "typo") as (address, process):
        assert process.stderr is not None
        assert process.stderr.readline() == (
            "there is no base at typo yet; the first document stored makes it\n"
        )
        asked = httpx2.post(f"{address}/v1/lookup", json=QUESTION)
        assert asked.json()["code"] == "store_not_initialised"
        assert httpx2.get(f"{address}/readyz").json() == {"status": "ready"}
        assert not (tmp_path / "typo").exists()
        text = {"name": "a.md", "text": "Backups are kept for 35 days."}
        assert httpx2.post(f"{address}/v1/documents", json=text).json()["new"] == 1
        assert len(httpx2.post(f"{address}/v1/lookup", json=QUESTION).json()["evidence"]) == 1
    refused = _refused(tmp_path, "--store", "other", "--readonly", "--port", "0")
    assert refused.returncode == 2
    assert "code: store_not_initialised" in refused.stderr
    assert not (tmp_path / "other").exists()

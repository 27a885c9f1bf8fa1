"""One base for the process, however many ask first; and truthful answers when a channel dies."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from rag.assembly import open_base
from rag.base.knowledge_base import KnowledgeBase
from rag.errors import StoreError, StoreLockedError
from rag.samples import handbook_path
from rag.stores.local import LexicalRetriever
from rag.surfaces.http_api.services import Services, build_services
from rag.surfaces.shared_base import SharedBase
from tests.surfaces.http_api.service import client_of, settings_in
from tests.surfaces.http_api.test_lookup_routes import untimed

CLIENTS = 32


@pytest.mark.scenario("http-api", "Thirty-two first look-ups at once")
def test_thirty_two_first_look_ups_open_one_base(tmp_path: Path):
    settings = settings_in(tmp_path)
    with open_base(settings) as filling:
        filling.ingest(handbook_path())
    opened: list[KnowledgeBase] = []

    def open_it(create: bool) -> KnowledgeBase:
        opened.append(open_base(settings, create=create))
        return opened[-1]

    services = build_services(settings, SharedBase(open_it))
    together = Barrier(CLIENTS)
    with client_of(services) as client, ThreadPoolExecutor(CLIENTS) as threads:

        def ask(_: int) -> str:
            together.wait(60)
            answer = client.post("/v1/lookup", json={"query": "How long are backups kept?"})
            assert answer.status_code == 200
            return json.dumps(untimed(answer.json()), sort_keys=True)

        answers = set(threads.map(ask, range(CLIENTS)))
    assert len(opened) == 1
    assert len(answers) == 1


def test_a_base_that_cannot_be_opened_is_said_so_until_it_can(tmp_path: Path):
    settings = settings_in(tmp_path)
    locked = [True]

    def open_it(create: bool) -> KnowledgeBase:
        if locked.pop() if locked else False:
            raise StoreLockedError("another process holds the store")
        return open_base(settings, create=create)

    client = client_of(build_services(settings, SharedBase(open_it)))
    assert client.get("/healthz").status_code == 200
    not_yet = client.get("/readyz")
    assert (not_yet.status_code, not_yet.json()["code"]) == (503, "store_locked")
    assert not_yet.headers["retry-after"] == "1"
    assert client.get("/readyz").json() == {"status": "ready"}


def test_when_the_words_channel_dies_labels_and_level_stay_truthful(
    handbook: Services, monkeypatch: pytest.MonkeyPatch
):
    client = client_of(handbook)
    body = {"query": "How long are backups kept?"}
    before = client.post("/v1/search", json=body).json()

    def dies(*_: object) -> None:
        raise StoreError("the index of words is gone")

    with monkeypatch.context() as patched:
        patched.setattr(LexicalRetriever, "search", dies)
        patched.setattr(LexicalRetriever, "search_with_terms", dies)
        found = client.post("/v1/search", json=body).json()
        result = client.post("/v1/lookup", json=body).json()
    assert {hit["score_label"] for hit in before["hits"]} == {"hybrid"}
    assert {hit["score_label"] for hit in found["hits"]} == {"dense"}
    assert found["degraded"] == result["degraded"] == ["lexical"]
    assert (result["level_basis"], result["channels"]["lexical"]["status"]) == (
        "similarity",
        "error",
    )
    assert result["relevance_level"] != "none"

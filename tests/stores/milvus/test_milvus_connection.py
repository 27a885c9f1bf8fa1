"""Opening and closing a Milvus: what is there, who holds it, and what is said if it cannot be."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import SecretStr
from pymilvus import MilvusClient

from rag.errors import (
    ConfigError,
    IndexIdentityMismatchError,
    StoreDamagedError,
    StoreLockedError,
    StoreNotInitialisedError,
    StoreTimeoutError,
    StoreTooOldError,
    StoreUnreachableError,
)
from rag.ranking import ReciprocalRankFusion, SearchMode
from rag.settings import StoreSettings
from rag.stores.milvus import connection as connections
from rag.stores.milvus.connection import connect
from rag.stores.milvus.engine import check_age, engine_of
from rag.stores.milvus.store import MilvusHybridKnowledgeStore
from rag.testing.store_contract import ANALYZER, EMBEDDER
from rag.testing.store_contract_parts.corpus import document, search, uris
from tests.stores.milvus.conftest import open_at

HOLDER = """
import sys
from rag.settings import StoreSettings
from rag.stores.milvus.connection import connect
connect(StoreSettings(uri=sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def open_uri(uri: str, **options) -> MilvusHybridKnowledgeStore:
    return MilvusHybridKnowledgeStore(
        StoreSettings(uri=uri),
        analyzer=ANALYZER,
        embedder=EMBEDDER.identity,
        fusion=ReciprocalRankFusion(),
        **options,
    )


@pytest.mark.scenario("knowledge-stores", "A server without full-text search")
@pytest.mark.parametrize("version", ["v2.3.5-lite", "2.4.23", "v1.1.1"])
def test_a_server_that_cannot_search_by_words_is_refused(version: str):
    uri = "http://127.0.0.1:19530"
    with pytest.raises(StoreTooOldError, match=f"Milvus {version} at {uri}") as refused:
        check_age(engine_of(version, exclusive=False), uri)
    assert refused.value.allowed == "Milvus 2.5 or later"


@pytest.mark.parametrize(
    "version", ["2.5.0", "v2.6.4", "v3.0-beta", "10.0.1", "master-20260801-6f3a", "milvus_lite-3.2"]
)
def test_newer_servers_and_unreleased_builds_are_let_through(version: str):
    check_age(engine_of(version, exclusive=False), "http://127.0.0.1:19530")


@pytest.mark.slow
@pytest.mark.scenario("knowledge-stores", "A second process is told who holds the store")
def test_a_path_that_another_process_holds_is_locked_and_free_when_that_ends(new_path, capfd):
    uri = new_path()
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, uri],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(StoreLockedError) as caught:
            open_uri(uri)
    finally:
        holder.communicate()
    assert uri in caught.value.message
    assert "server" in caught.value.hint
    assert "local store" in caught.value.hint
    for word in ("delete", "remove", "move"):
        assert word not in f"{caught.value.message} {caught.value.hint}"
    assert "Traceback" not in capfd.readouterr().err
    open_uri(uri).close()


@pytest.mark.scenario("knowledge-stores", "A plain file is left as it is")
def test_a_plain_file_at_the_path_is_said_and_kept(tmp_path: Path, capfd):
    path = tmp_path / "kb.db"
    path.write_bytes(b"SQLite format 3\0 old")
    with pytest.raises(StoreDamagedError) as caught:
        open_uri(str(path))
    assert "a file" in caught.value.message
    assert "folder" in caught.value.message
    assert path.read_bytes() == b"SQLite format 3\0 old"
    assert capfd.readouterr().err == ""


def test_a_folder_of_other_files_is_not_written_into(tmp_path: Path):
    (tmp_path / "notes.md").write_text("mine")
    with pytest.raises(StoreDamagedError, match="a folder with other files"):
        open_uri(str(tmp_path))
    assert [entry.name for entry in tmp_path.iterdir()] == ["notes.md"]


def test_an_empty_folder_becomes_a_store(tmp_path: Path):
    open_uri(str(tmp_path)).close()
    assert (tmp_path / "collections").is_dir()


def test_without_create_a_path_that_is_not_there_stays_so(tmp_path: Path):
    path = tmp_path / "deep" / "kb.db"
    with pytest.raises(StoreNotInitialisedError) as caught:
        open_uri(str(path), create=False)
    assert "rag ingest" in caught.value.hint
    assert not path.parent.exists()
    open_uri(str(path)).close()
    open_uri(str(path), create=False).close()


def test_without_create_a_milvus_without_index_gets_none(lite_uri: str):
    settings = StoreSettings(uri=lite_uri, collection="never_made")
    with pytest.raises(StoreNotInitialisedError):
        MilvusHybridKnowledgeStore(
            settings,
            analyzer=ANALYZER,
            embedder=None,
            fusion=ReciprocalRankFusion(),
            create=False,
        )
    held = connect(settings)
    assert not held.client.has_collection("never_made")
    held.release()


@pytest.mark.scenario("knowledge-stores", "No server answers")
def test_a_port_where_nobody_listens_is_unreachable_within_seconds(capfd):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        uri = f"http://127.0.0.1:{free.getsockname()[1]}"
    started = time.monotonic()
    with pytest.raises(StoreUnreachableError) as caught:
        open_uri(uri)
    assert time.monotonic() - started < 2 * connections.CONNECT_TIMEOUT_S
    assert uri in caught.value.message
    assert capfd.readouterr().err == ""


def test_what_answers_but_is_no_milvus_is_said_so(capfd):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()

        def answer_as_a_web_server() -> None:
            while True:
                try:
                    one, _ = other.accept()
                except OSError:
                    return
                one.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
                one.close()

        thread = threading.Thread(target=answer_as_a_web_server, daemon=True)
        thread.start()
        started = time.monotonic()
        with pytest.raises(StoreUnreachableError):
            open_uri(f"http://127.0.0.1:{other.getsockname()[1]}")
        assert time.monotonic() - started < 3 * connections.CONNECT_TIMEOUT_S
        other.shutdown(socket.SHUT_RDWR)
    assert "Traceback" not in capfd.readouterr().err


def test_a_missing_certificate_is_named(tmp_path: Path):
    settings = StoreSettings(uri="https://127.0.0.1:1", tls_ca_path=tmp_path / "ca.pem")
    with pytest.raises(ConfigError, match=r"ca\.pem"):
        connect(settings)


def test_a_token_stands_in_no_message():
    settings = StoreSettings(uri="http://127.0.0.1:1", token=SecretStr("root:s3cret"))
    with pytest.raises(StoreUnreachableError) as caught:
        connect(settings)
    assert "s3cret" not in f"{caught.value.to_wire()}"


def test_thirty_two_first_connections_are_one(new_path):
    settings = StoreSettings(uri=new_path())
    barrier = threading.Barrier(32)

    def first(_: int) -> connections.MilvusConnection:
        barrier.wait()
        return connect(settings)

    with ThreadPoolExecutor(32) as pool:
        opened = list(pool.map(first, range(32)))
    assert len({id(one) for one in opened}) == 1
    assert opened[0].holders == 32
    for one in opened:
        one.release()
    again = connect(settings)
    assert again is not opened[0]
    again.release()


def test_two_spellings_of_a_path_are_one_store(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    one, other = (connect(StoreSettings(uri=uri)) for uri in ("./kb.db", str(tmp_path / "kb.db")))
    assert one is other
    monkeypatch.chdir("/")
    one.release()
    other.release()


def test_closing_leaves_another_client_of_the_process_its_store(new_path):
    uri = new_path()
    other = MilvusClient(uri)
    open_uri(uri).close()
    assert set(other.list_collections()) == {"rag", "rag_ledger"}
    other.close()


def test_a_failed_opening_frees_the_lock(new_path):
    uri = new_path()
    open_uri(uri).close()
    other = replace(EMBEDDER.identity, revision="other")
    with pytest.raises(IndexIdentityMismatchError):
        open_at(uri)("rag", embedder=other)
    subprocess.run(
        [sys.executable, "-c", HOLDER, uri], input="", check=True, capture_output=True, text=True
    )


def test_k1_of_nought_is_refused_when_an_index_is_made(new_path):
    with pytest.raises(ConfigError, match="bm25_k1"):
        open_uri(new_path(), bm25_k1=0.0)


@pytest.mark.scenario("knowledge-stores", "A damaged folder is said and kept")
def test_a_damaged_schema_file_is_a_damaged_store_without_traceback(new_path, capfd):
    uri = new_path()
    open_uri(uri).close()
    schema = Path(uri) / "collections" / "rag" / "schema.json"
    schema.write_text("{ this is no")
    with pytest.raises(StoreDamagedError) as caught:
        open_uri(uri)
    assert uri in caught.value.message
    assert schema.read_text() == "{ this is no"
    assert "Traceback" not in capfd.readouterr().err


def test_a_collection_of_another_program_is_not_used(new_path):
    uri = new_path()
    held = connect(StoreSettings(uri=uri))
    held.client.create_collection("rag", dimension=4)
    with pytest.raises(StoreDamagedError, match="none of ours"):
        open_uri(uri)
    assert held.client.list_collections() == ["rag"]
    held.release()


def test_an_index_whose_ledger_is_gone_is_damaged_and_kept(new_path):
    uri = new_path()
    store = open_uri(uri)
    store.write_documents([document("a.md", "x")])
    store.close()
    held = connect(StoreSettings(uri=uri))
    held.client.drop_collection("rag_ledger")
    with pytest.raises(StoreDamagedError, match="rag_ledger"):
        open_uri(uri)
    assert held.client.list_collections() == ["rag"]
    held.release()


def test_a_making_that_was_cut_short_is_done_again(new_path):
    uri = new_path()
    open_uri(uri).close()
    held = connect(StoreSettings(uri=uri))
    held.client.delete("rag_ledger", filter='key == "manifest"')
    store = open_uri(uri)
    store.write_documents([document("a.md", "made again")])
    assert uris(search(store, "made")) == ["a.md"]
    store.close()
    held.release()


def test_two_collections_of_one_milvus_know_nothing_of_each_other(lite_uri: str):
    one, other = open_at(lite_uri)("apart_one"), open_at(lite_uri)("apart_other")
    one.write_documents([document("a.md", "separate")])
    assert uris(search(other, "separate")) == []
    assert one.revision() != other.revision()
    one.close()
    other.close()


def test_a_search_ends_with_its_time(lite_uri: str):
    store = open_at(lite_uri)("hurried")
    lines = [f"slow line {n}" for n in range(400)]  # some ten milliseconds to search
    store.write_documents([document("a.md", *lines)])
    for mode in (SearchMode.LEXICAL, SearchMode.VECTOR):
        with pytest.raises(StoreTimeoutError):
            search(store, "slow", mode, timeout_s=1e-4)
    assert set(uris(search(store, "slow", timeout_s=60.0))) == {"a.md"}
    store.close()

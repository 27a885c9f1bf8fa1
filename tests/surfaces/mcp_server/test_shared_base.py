"""One base for a process, whatever its threads do."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

import rag
from rag.base.knowledge_base import KnowledgeBase
from rag.errors import StoreError, StoreLockedError
from rag.settings import load_settings
from rag.surfaces.shared_base import SharedBase
from tests.surfaces.mcp_server.serving import write_config


def test_threads_that_ask_at_once_get_one_base(tmp_path: Path):
    settings = load_settings(write_config(tmp_path / "base"))
    opened: list[KnowledgeBase] = []
    together = Barrier(16)

    def open_base(create: bool) -> KnowledgeBase:
        opened.append(rag.open(settings, create=create))
        return opened[-1]

    shared = SharedBase(open_base)

    def ask(_thread: int) -> KnowledgeBase:
        together.wait()
        return shared.get(create=True)

    with ThreadPoolExecutor(16) as pool:
        got = list(pool.map(ask, range(16)))
    shared.close()
    assert len(opened) == 1
    assert all(base is opened[0] for base in got)


def test_a_base_that_could_not_be_opened_is_tried_again(tmp_path: Path):
    settings = load_settings(write_config(tmp_path / "base"))
    held = [True]

    def open_base(create: bool) -> KnowledgeBase:
        if held.pop():
            raise StoreLockedError("held")
        return rag.open(settings, create=create)

    shared = SharedBase(open_base)
    with pytest.raises(StoreLockedError):
        shared.get(create=True)
    held.append(False)
    assert shared.get(create=True).documents() == ()
    shared.close()


def test_after_its_end_no_base_is_opened():
    shared = SharedBase(lambda _create: pytest.fail("opened"))
    shared.close()
    shared.close()
    with pytest.raises(StoreError, match="shutting down"):
        shared.get()

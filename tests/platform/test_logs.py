"""Events on standard error, and foreign libraries kept in order."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import warnings
from collections.abc import Iterator

import pytest

from rag.platform.logs import adopt_logger, configure_logging, get_logger


@pytest.fixture(autouse=True)
def _process_logging_is_put_back() -> Iterator[None]:
    root, ours = logging.getLogger(), logging.getLogger("rag")
    handlers, levels = root.handlers[:], (root.level, ours.level)
    yield
    root.handlers[:] = handlers
    root.setLevel(levels[0])
    ours.setLevel(levels[1])
    logging.captureWarnings(False)


def test_an_embedding_programs_logging_is_left_alone_until_asked():
    """Loading and using the loggers adds no handler, sets no level, and loads no structlog."""
    program = (
        "import logging, sys\n"
        "before = logging.root.handlers[:], logging.root.level\n"
        "import rag.platform.logs, rag.stores.hybrid_retriever\n"
        "rag.platform.logs.get_logger('x').debug('unseen')\n"
        "assert (logging.root.handlers[:], logging.root.level) == before\n"
        "assert logging.getLogger('rag').handlers == []\n"
        "assert 'structlog' not in sys.modules\n"
        "rag.platform.logs.get_logger('x').warning('something happened', count=3)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == ""
    assert done.stderr == "something happened count=3\n"


def test_any_standard_handler_sees_the_sentence_and_its_facts(caplog: pytest.LogCaptureFixture):
    with caplog.at_level(logging.INFO, logger="rag"):
        get_logger("rag.stores.x").info("index versions differ", lexical="a", vector="b")
    (record,) = caplog.records
    assert record.getMessage() == "index versions differ lexical='a' vector='b'"
    assert record.name == "rag.stores.x"
    assert record.filename == "test_logs.py"


def test_json_lines_on_standard_error(capfd: pytest.CaptureFixture[str]):
    configure_logging(format="json", level="info")
    get_logger("rag.x").info("量 done 100%", count=3, path="a b", name="n", msg="m")
    get_logger("rag.x").debug("unseen")
    captured = capfd.readouterr()
    assert captured.out == ""
    (line,) = captured.err.splitlines()
    entry = json.loads(line)
    assert entry.pop("timestamp").endswith("Z")
    assert entry == {
        "event": "量 done 100%",
        "count": 3,
        "path": "a b",
        "name": "n",
        "msg": "m",
        "level": "info",
        "logger": "rag.x",
    }


def test_console_lines_hold_level_sentence_and_facts(capfd: pytest.CaptureFixture[str]):
    configure_logging(level="warning")
    get_logger("rag.x").warning("a channel is slow", channel="vector")
    err = capfd.readouterr().err
    assert len(err.splitlines()) == 1
    for part in ("warning", "a channel is slow", "channel=vector"):
        assert part in err


def test_configuring_again_replaces_what_was_configured(capfd: pytest.CaptureFixture[str]):
    for level in ("debug", "error", "info"):
        configure_logging(level=level, format="json")
    get_logger("x").info("once")
    get_logger("x").debug("unseen")
    assert len(capfd.readouterr().err.splitlines()) == 1


def test_foreign_libraries_are_heard_from_warning_up_without_tracebacks(
    capfd: pytest.CaptureFixture[str],
):
    configure_logging(level="debug", format="json")
    foreign = logging.getLogger("urllib3.connectionpool")
    foreign.info("unseen")
    try:
        raise OSError("no route")
    except OSError:
        foreign.exception("retrying\nTraceback:\n  File ...")
    entry = json.loads(capfd.readouterr().err)
    assert (entry["event"], entry["logger"], entry["level"]) == (
        "retrying",
        "urllib3.connectionpool",
        "error",
    )
    assert "exception" not in entry


def test_a_quiet_level_quiets_foreign_libraries_too(capfd: pytest.CaptureFixture[str]):
    configure_logging(level="error")
    logging.getLogger("urllib3").warning("unseen")
    assert capfd.readouterr().err == ""


def test_warnings_of_the_warnings_module_become_events(capfd: pytest.CaptureFixture[str]):
    configure_logging(format="json")
    warnings.warn("old call", DeprecationWarning, stacklevel=1)
    assert "old call" in json.loads(capfd.readouterr().err)["event"]


def test_an_adopted_library_loses_its_own_handlers_and_its_tracebacks(
    caplog: pytest.LogCaptureFixture,
):
    parent, child = logging.getLogger("loudlib"), logging.getLogger("loudlib.client")
    for logger in (parent, child):
        logger.addHandler(logging.StreamHandler())
        logger.propagate = False
    child.setLevel(logging.INFO)
    adopt_logger("loudlib")
    with caplog.at_level(logging.WARNING, logger="rag"):
        child.info("unseen")
        child.error("RPC error: %s\nTraceback:\n%s", "no such collection", "frames", exc_info=True)
    (record,) = caplog.records
    assert record.name == "rag.foreign.loudlib.client"
    assert record.getMessage() == "RPC error: no such collection"
    assert record.exc_info is None
    assert child.handlers == []


def test_adopting_twice_does_not_double_the_lines(caplog: pytest.LogCaptureFixture):
    for _ in range(2):
        adopt_logger("loudlib2")
    with caplog.at_level(logging.WARNING, logger="rag"):
        logging.getLogger("loudlib2").warning("once")
    assert len(caplog.records) == 1

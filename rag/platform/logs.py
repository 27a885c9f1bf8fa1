"""Events to standard error: a sentence and its facts, for people or as JSON lines.

A program that embeds this package keeps its own logging: the loggers here are plain standard
loggers under ``rag``, with no handler of their own. ``configure_logging`` is for programs that
are ours from start to end (the command line, the servers), and structlog, which renders the
lines, is imported when the first line is printed.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import MutableMapping
from typing import Any, Literal, TextIO

ROOT = "rag"
Level = Literal["debug", "info", "warning", "error"]
Format = Literal["console", "json"]


class EventLogger:
    """Logs events: ``log.warning("index versions differ", lexical="a1", vector="a2")``.

    Any standard handler sees the sentence with its facts as ``key='value'`` behind it; the facts
    themselves stand in the record's ``rag_event`` and ``rag_facts``.
    """

    __slots__ = ("_logger",)

    def __init__(self, logger: logging.Logger) -> None:
        self._logger = logger

    def debug(self, event: str, /, **facts: object) -> None:
        self._emit(logging.DEBUG, event, facts)

    def info(self, event: str, /, **facts: object) -> None:
        self._emit(logging.INFO, event, facts)

    def warning(self, event: str, /, **facts: object) -> None:
        self._emit(logging.WARNING, event, facts)

    def error(self, event: str, /, **facts: object) -> None:
        self._emit(logging.ERROR, event, facts)

    def _emit(self, level: int, event: str, facts: dict[str, object]) -> None:
        if self._logger.isEnabledFor(level):
            line = " ".join((event, *(f"{key}={value!r}" for key, value in facts.items())))
            extra = {"rag_event": event, "rag_facts": facts}
            self._logger.log(level, "%s", line, extra=extra, stacklevel=3)


def get_logger(name: str) -> EventLogger:
    """Return the logger of a module: ``log = get_logger(__name__)``; costs nothing at import."""
    return EventLogger(logging.getLogger(name if name.split(".")[0] == ROOT else f"{ROOT}.{name}"))


def configure_logging(
    *,
    level: Level = "warning",
    format: Format = "console",  # noqa: A002  # the setting's name
) -> None:
    """Take over the process's logging: one handler, on standard error.

    Our own events appear from ``level`` up, as sentences or as JSON lines. Foreign libraries
    appear from warning up, whatever the level, each record as one line without a traceback: what
    went wrong for the caller is said by the typed error that follows. Calling it again replaces
    the configuration.
    """
    number = logging.getLevelNamesMapping()[level.upper()]
    handler = _StderrHandler()
    handler.setFormatter(_EventFormatter(format))
    root = logging.getLogger()
    for other in root.handlers[:]:
        root.removeHandler(other)
    root.addHandler(handler)
    root.setLevel(max(number, logging.WARNING))
    logging.getLogger(ROOT).setLevel(number)
    logging.captureWarnings(True)


def adopt_logger(name: str, level: Level = "warning") -> None:
    """Send what a foreign library logs under ``name`` through ours, one line a record.

    For libraries that give their loggers handlers of their own at import (pymilvus does); call
    it right after that import. Nothing else of the process's logging is changed.
    """
    number = logging.getLevelNamesMapping()[level.upper()]
    children = [other for other in logging.root.manager.loggerDict if other.startswith(f"{name}.")]
    for child in map(logging.getLogger, children):
        child.handlers.clear()
        child.propagate = True
        child.setLevel(logging.NOTSET)
    adopted = logging.getLogger(name)
    adopted.handlers[:] = [_Forwarder()]
    adopted.propagate = False
    adopted.setLevel(number)


class _Forwarder(logging.Handler):
    """Hands a foreign library's records to our loggers."""

    def emit(self, record: logging.LogRecord) -> None:
        target = logging.getLogger(f"{ROOT}.foreign.{record.name}")
        if target.isEnabledFor(record.levelno):
            target.handle(_one_line(record, name=target.name))


def _one_line(record: logging.LogRecord, *, name: str) -> logging.LogRecord:
    """Return a copy without traceback; pymilvus puts tracebacks into the message itself."""
    message = record.getMessage().strip()
    facts = {
        **record.__dict__,
        "name": name,
        "msg": message.split("\nTraceback", 1)[0].split("\n", 1)[0].rstrip(),
        "args": None,
        "exc_info": None,
        "exc_text": None,
        "stack_info": None,
    }
    return logging.makeLogRecord(facts)


class _StderrHandler(logging.StreamHandler[TextIO]):
    """Writes to whatever ``sys.stderr`` is at that moment, so that a redirection is followed."""

    def __init__(self) -> None:
        super().__init__(sys.stderr)

    @property
    def stream(self) -> TextIO:
        return sys.stderr

    @stream.setter
    def stream(self, value: TextIO) -> None:
        """Ignore what the base class stores: the stream is looked up at every write."""


class _EventFormatter(logging.Formatter):
    """Renders records with structlog, imported at the first record: it costs 0.1 s."""

    def __init__(self, style: Format) -> None:
        super().__init__()
        self._shape = style
        self._inner: logging.Formatter | None = None

    def format(self, record: logging.LogRecord) -> str:
        if record.name.split(".")[0] != ROOT:
            record = _one_line(record, name=record.name)
        if self._inner is None:
            self._inner = _structlog_formatter(self._shape)
        return self._inner.format(record)


def _structlog_formatter(style: Format) -> logging.Formatter:
    import structlog  # here and not above: a program that logs nothing never loads it

    renderer: Any = (
        structlog.processors.JSONRenderer(ensure_ascii=False, default=str)
        if style == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[
            _facts_of_record,
            structlog.stdlib.add_log_level,
            structlog.stdlib.add_logger_name,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
        ],
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            *([structlog.processors.format_exc_info] if style == "json" else []),
            renderer,
        ],
    )


def _facts_of_record(
    _logger: object, _method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """Put the sentence and facts of an :class:`EventLogger` record back in their own fields."""
    record = event["_record"]
    facts = getattr(record, "rag_facts", None)
    if facts is None:
        return event
    return {**facts, **event, "event": record.rag_event}

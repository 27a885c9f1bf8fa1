"""What answers at a Milvus URI, and whether it can do what a store needs."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag.errors import StoreTooOldError

OLDEST_SERVER = (2, 5)  # the first that makes BM25 vectors itself, with full-text functions

_RELEASE = re.compile(r"v?(\d+)\.(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """What answers: ``lite`` is true of Milvus Lite, in this process or behind a port.

    ``exclusive`` is true where no other process can write: a Lite folder is locked.
    """

    name: str
    version: str
    lite: bool
    exclusive: bool

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


def engine_of(version: str, *, exclusive: bool) -> Engine:
    """Return what answers, by the version that it gives."""
    lite = version.startswith("milvus_lite-")
    return Engine(
        name="Milvus Lite" if lite else "Milvus",
        version=version.removeprefix("milvus_lite-"),
        lite=lite,
        exclusive=exclusive,
    )


def check_age(engine: Engine, uri: str) -> None:
    """Raise StoreTooOldError where a server cannot search by words.

    A version that is no release, such as that of a nightly build, is taken to be new enough.
    """
    release = _RELEASE.match(engine.version)
    if engine.lite or release is None or (int(release[1]), int(release[2])) >= OLDEST_SERVER:
        return
    needed = ".".join(map(str, OLDEST_SERVER))
    raise StoreTooOldError(
        f"{engine} at {uri} cannot search by words; that came with Milvus {needed}",
        given=engine.version,
        allowed=f"Milvus {needed} or later",
        hint="nothing was changed; upgrade the server, or name another in store.uri",
    )

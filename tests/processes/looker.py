"""Looks things up in a base without a pause until told to stop, and says what was wrong.

Run as ``python -m tests.processes.looker DOCUMENTS``, settings in the environment. Prints
``open`` when its base is open, and at the end one line of JSON: look-ups, revisions seen, whole
documents found, and each fault as a sentence.
"""

from __future__ import annotations

import json
import random
import select
import sys

import rag
from rag.errors import ChunkNotFoundError
from rag.ranking.records import SearchHit, SearchMode
from rag.stores.filters import SearchFilter
from rag.stores.records import StoreQuery, StoreResponse
from tests.processes.marked_corpus import is_whole, marker, name, said_by

MOST_CHUNKS = 16  # more than a document has


class Looker:
    """Asks about one document at a time and keeps count."""

    def __init__(self, base: rag.KnowledgeBase) -> None:
        self._base = base
        self.look_ups = 0
        self.whole = 0
        self.revisions: set[str] = set()
        self.versions: set[str] = set()
        self.faults: list[str] = []

    def look(self, number: int) -> None:
        """Search for a document in every mode, fetch what was found, and look it up."""
        for mode in SearchMode:
            response = self._search(number, mode)
            self.revisions.add(response.revision)
            hits = [hit for hit in response.hits if hit.chunk.uri == name(number)]
            if hits:
                self._check_whole(hits, response)
            if mode is SearchMode.LEXICAL:
                self._check(len(hits) == len(response.hits), f"{number}: a foreign hit")
                self._check_fetched(hits, response.revision)
        result = self._base.lookup(f"what does {marker(number)} say?")
        self.look_ups += 1
        said = [one for one in result.evidence if marker(number) in one.text.split()]
        versions = {version for one in said for _, version in said_by(one.text)}
        self._check(len(versions) <= 1, f"{number}: a look-up of versions {versions}")

    def _search(self, number: int, mode: SearchMode) -> StoreResponse:
        embedder = self._base.parts.embedder
        assert embedder is not None
        words = marker(number)
        by_words = mode is SearchMode.LEXICAL  # which find this document alone
        return self._base.parts.store.search(
            StoreQuery(
                text=words,
                mode=mode,
                k=MOST_CHUNKS,
                vector=embedder.embed_query(words),
                filters=SearchFilter(path_prefix=None if by_words else name(number)),
            )
        )

    def _check_whole(self, hits: list[SearchHit], response: StoreResponse) -> None:
        last = max(hits, key=lambda hit: hit.chunk.ordinal).chunk
        said = set().union(*(said_by(hit.chunk.text) for hit in hits))
        generations = {hit.chunk.generation for hit in hits}
        whole = is_whole([hit.chunk.ordinal for hit in hits], last.text)
        self._check(whole, f"{last.uri}: {len(hits)} chunks of a half document")
        self._check(len(said) == 1, f"{last.uri}: versions {said} in one answer")
        self._check(len(generations) == 1, f"{last.uri}: generations {generations} in one answer")
        self._check(response.ghosts == 0, f"{last.uri}: {response.ghosts} ghosts")
        self.whole += whole
        self.versions |= {version for _, version in said}

    def _check_fetched(self, hits: list[SearchHit], revision: str) -> None:
        for hit in hits[:2]:
            try:
                fetched = self._base.fetch_chunk(hit.chunk.chunk_id)
            except ChunkNotFoundError:
                moved_on = self._base.parts.store.revision() != revision
                self._check(moved_on, f"{hit.chunk.uri}: a ghost, gone at the same revision")
            else:
                self._check(fetched.text == hit.chunk.text, f"{hit.chunk.uri}: another text")

    def _check(self, holds: bool, fault: str) -> None:
        if not holds:
            self.faults.append(fault)


def main(documents: int) -> None:
    """Look until standard input closes."""
    chosen = random.Random(0)
    with rag.open() as base:
        looker = Looker(base)
        print("open", flush=True)  # noqa: T201  # how the test hears of it
        while not select.select([sys.stdin], [], [], 0)[0]:
            looker.look(chosen.randrange(documents))
        found = {
            "look_ups": looker.look_ups,
            "whole": looker.whole,
            "revisions": len(looker.revisions),
            "versions": sorted(looker.versions),
            "faults": looker.faults[:10],
        }
    print(json.dumps(found), flush=True)  # noqa: T201  # likewise


if __name__ == "__main__":
    main(int(sys.argv[1]))

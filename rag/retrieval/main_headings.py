"""What a base is about, in its own words: the titles that most of its text stands under."""

from __future__ import annotations

from collections import Counter, OrderedDict
from itertools import islice
from threading import Lock

from rag.stores.filters import SearchFilter
from rag.stores.protocol import KnowledgeStore

SHOWN = 6  # enough to tell what a base is about
LONGEST = 60  # characters of a title
READ = 5_000  # documents; more add nothing to a rough picture
REMEMBERED = 32  # filters


class MainHeadings:
    """Tells the titles with the most text, remembered per revision and filter."""

    def __init__(self, store: KnowledgeStore) -> None:
        self._store = store
        self._lock = Lock()
        self._known: OrderedDict[tuple[str, str], tuple[str, ...]] = OrderedDict()

    def of(self, revision: str, filters: SearchFilter) -> tuple[str, ...]:
        """Return up to six titles of documents that pass the filter, the largest first.

        Raises:
            StoreError: the documents cannot be read.
        """
        key = (revision, str(filters.canonical()))
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        sizes: Counter[str] = Counter()
        for document in islice(self._store.documents(filters), READ):
            title = " ".join((document.title or document.uri).split())
            sizes[title if len(title) <= LONGEST else f"{title[: LONGEST - 1]}…"] += (
                document.chunk_count
            )
        ordered = sorted(sizes, key=lambda title: (-sizes[title], title))
        found = tuple(ordered[:SHOWN])
        with self._lock:
            self._known[key] = found
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return found

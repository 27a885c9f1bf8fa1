"""Filters: every key, hostile values, and what a caller may not see."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from rag.errors import InvalidFilterError
from rag.ingest.records import Media, Trust
from rag.stores.filter_match import matches
from rag.stores.filters import SearchFilter, parse_filter
from rag.stores.protocol import KnowledgeStore
from rag.testing.store_contract_parts.corpus import (
    MODES,
    OpenStore,
    document,
    document_id,
    search,
    uris,
)

INJECTIONS = ['") or true or ("', 'x" || "1"=="1', "' or 1=1 --", "%", "_", "*", '"', "\\", "{p0}"]
LITERALS = [
    'a"b',
    "a\\",
    "C:\\new",
    '"x\n y"',
    "O'Brien",
    "𝔘",
    "tab\there",
    "cr\rlf\n",
    "",
    " ",
    "%_*?[",
    "{p0}",
    "|",
    "null",
    "混合",
    "e\u0301",
    "\u00e9",
    "\x01",
]

CATALOGUE: list[dict[str, Any]] = [
    {"uri": "my_docs/a.md", "tags": ("x", "y"), "language": "en"},
    {"uri": "myXdocs/b.md", "tags": ("y",), "language": "de", "media": Media.HTML},
    {"uri": "my_docs/deep/er/c.pdf", "media": Media.PDF, "source": "manuals"},
    {"uri": "my_docs/100%.txt", "media": Media.TEXT, "trust": Trust.SECONDARY},
    {"uri": "other/d.py", "media": Media.CODE, "source_type": "code", "trust": Trust.GENERATED},
    {"uri": "other/e.md", "tenant": "blue", "tags": ("x",)},
    {"uri": "other/f.md", "tenant": "red", "indexed_at": "2026-03-01T12:00:00+00:00"},
    {"uri": "z.md", "indexed_at": "2026-03-01T13:00:00.250000+00:00", "tags": ("a", "b", "c")},
]

FILTERS: list[dict[str, Any]] = [
    {"tags": "x"},
    {"tags": ["x", "c"]},
    {"tags": "X"},
    {"media": "md"},
    {"media": ["pdf", "html"]},
    {"lang": "de"},
    {"lang": ["en", "de"]},
    {"source": "manuals"},
    {"source": ["manuals", "default"]},
    {"source_type": "code"},
    {"trust_min": "primary"},
    {"trust_min": "secondary"},
    {"trust_min": "generated"},
    {"tenant": ""},
    {"tenant": "blue"},
    {"path_prefix": "my_docs/"},
    {"path_prefix": "my_docs/100%"},
    {"path_prefix": "my"},
    {"path_prefix": ""},
    {"path_prefix": "nowhere/"},
    {"path_glob": "*.md"},
    {"path_glob": "**/*.md"},
    {"path_glob": "my_docs/*"},
    {"path_glob": "my_docs/**"},
    {"path_glob": "other/?.md"},
    {"path_glob": "other/[ef].md"},
    {"doc_id": document_id("z.md")},
    {"doc_id": [document_id("z.md"), document_id("other/d.py"), "no such"]},
    {"indexed_after": "2026-03-01T12:00:00Z"},
    {"indexed_after": "2026-03-01T14:00:00.25+01:00"},
    {"indexed_after": "2026-03-01T14:00:00.250001+01:00"},
    {"indexed_after": "2020-01-01T00:00:00-11:30"},
    {"tags": "x", "tenant": "blue"},
    {"tags": "y", "media": "md", "path_prefix": "my", "trust_min": "primary", "lang": "en"},
    {"tags": "y", "media": "pdf"},
]


class FilteringContract:
    """What passes a filter; ``matches`` of ``rag.stores.filter_match`` is the reference."""

    @pytest.fixture(scope="class")
    @classmethod
    def shelf(cls, store_factory: OpenStore) -> Iterator[KnowledgeStore]:
        store = store_factory("shelf")
        store.write_documents(
            [
                document(
                    facts["uri"], "shared word", **{k: v for k, v in facts.items() if k != "uri"}
                )
                for facts in CATALOGUE
            ]
        )
        yield store
        store.close()

    @pytest.mark.parametrize("given", FILTERS, ids=str)
    @pytest.mark.scenario("knowledge-stores", "A filter narrows every mode alike")
    def test_a_filter_passes_what_its_definition_passes_in_every_mode(
        self, shelf: KnowledgeStore, given: dict[str, Any]
    ) -> None:
        everything = search(shelf, "shared word", k=50).hits
        assert len(everything) == len(CATALOGUE)
        right = {h.chunk.uri for h in everything if matches(parse_filter(given), h.chunk)}
        for mode in MODES:
            response = search(shelf, "shared word", mode, filters=given, k=50)
            assert set(uris(response)) == right, mode
            assert [hit.rank for hit in response.hits] == list(range(1, len(right) + 1))
        assert {found.uri for found in shelf.documents(parse_filter(given))} == right

    @pytest.mark.parametrize("value", INJECTIONS)
    @pytest.mark.scenario("knowledge-stores", "A hostile filter value is only a value")
    def test_a_value_that_looks_like_an_expression_finds_nothing(
        self, shelf: KnowledgeStore, value: str
    ) -> None:
        for key in ("tags", "source", "path_prefix", "tenant", "doc_id", "lang", "source_type"):
            for mode in MODES:
                assert search(shelf, "shared word", mode, filters={key: value}).hits == (), key
            assert list(shelf.documents(parse_filter({key: value}))) == []
            assert shelf.unmatched_terms(["share"], parse_filter({key: value})) == ("share",)

    def test_a_value_that_is_no_unicode_text_finds_nothing(self, shelf: KnowledgeStore) -> None:
        for key in ("tags", "source", "path_prefix", "path_glob", "doc_id"):
            assert search(shelf, "shared word", filters={key: "\ud800"}).hits == (), key

    def test_a_hundred_values_are_no_trouble(self, shelf: KnowledgeStore) -> None:
        many = [f"tag {n}" for n in range(99)]
        assert uris(search(shelf, "shared", filters={"tags": [*many, "c"]})) == ["z.md"]

    @pytest.mark.scenario("knowledge-stores", "A mistyped value of a closed set")
    def test_an_unknown_media_is_refused_and_finds_nothing_where_it_comes_through(
        self, shelf: KnowledgeStore
    ) -> None:
        with pytest.raises(InvalidFilterError) as caught:
            search(shelf, "shared word", filters={"media": ["pdf", "markdwon"]})
        assert caught.value.given == "markdwon"
        assert caught.value.allowed == "markdown, text, rst, html, pdf, docx, code"
        built = SearchFilter(media=("vinyl",))
        assert list(shelf.documents(built)) == []
        assert search(shelf, "shared word", filters=built).hits == ()

    @pytest.mark.scenario("knowledge-stores", "A literal value is found exactly")
    def test_every_literal_finds_exactly_its_own_document(self, store: KnowledgeStore) -> None:
        store.write_documents(
            [
                document(
                    f"{n:02}/{value}", "shared word", tags=(value,), source=value, tenant=value
                )
                for n, value in enumerate(LITERALS)
            ]
        )
        for n, value in enumerate(LITERALS):
            own = [f"{n:02}/{value}"]
            for key in ("tags", "source", "tenant"):
                assert uris(search(store, "shared", filters={key: value}, k=50)) == own, (
                    key,
                    value,
                )
            assert uris(search(store, "shared", filters={"path_prefix": own[0]}, k=50)) == own
            assert [found.tags for found in store.documents(parse_filter({"tags": value}))] == [
                (value,)
            ]

    def test_percent_and_underscore_of_a_prefix_are_themselves(self, store: KnowledgeStore) -> None:
        store.write_documents(
            [document(uri, "words") for uri in ("my_docs/a", "myXdocs/b", "m%/c")]
        )
        assert uris(search(store, "words", filters={"path_prefix": "my_docs/"})) == ["my_docs/a"]
        assert uris(search(store, "words", filters={"path_prefix": "m%"})) == ["m%/c"]

    @pytest.mark.scenario("knowledge-stores", "Another tenant's chunks shift no rank")
    def test_ranks_do_not_depend_on_chunks_that_the_filter_hides(
        self, store: KnowledgeStore
    ) -> None:
        store.write_documents(
            [
                document("hidden.md", "quartz quartz quartz", tenant="b"),
                document("first.md", "quartz vein", tenant="a"),
                document(
                    "second.md", "a long text in which quartz is one word of many", tenant="a"
                ),
            ]
        )
        for mode in MODES:
            response = search(store, "quartz", mode, filters={"tenant": "a"})
            assert set(uris(response)) == {"first.md", "second.md"}, mode
            assert [hit.rank for hit in response.hits] == [1, 2]
            assert response.total == 2
        for hit in search(store, "quartz", filters={"tenant": "a"}).hits:
            assert {hit.retrieval.lexical_rank, hit.retrieval.vector_rank} <= {1, 2}

    def test_a_filter_reaches_past_the_candidates_of_others(self, store: KnowledgeStore) -> None:
        noise = [document(f"noise/{n}.md", "granite granite", tenant="b") for n in range(30)]
        store.write_documents([*noise, document("mine.md", "some granite here too", tenant="a")])
        for mode in MODES:
            response = search(store, "granite", mode, filters={"tenant": "a"}, candidates=10)
            assert uris(response) == ["mine.md"], mode

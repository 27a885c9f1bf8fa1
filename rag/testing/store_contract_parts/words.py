"""The channel of words: what finds what, in every script, whatever the query looks like."""

from __future__ import annotations

import unicodedata

import pytest

from rag.ranking.records import SearchMode
from rag.stores.filters import parse_filter
from rag.stores.protocol import KnowledgeStore
from rag.testing.store_contract_parts.corpus import (
    ANALYZER,
    OpenStore,
    document,
    search,
    uris,
)

LEXICAL = SearchMode.LEXICAL

# (documents, query, the document that must be first)
FOUND_FIRST: list[tuple[tuple[str, ...], str, int]] = [
    (("混合检索的质量归一化", "向量数据库"), "质量", 0),
    (("混合检索的质量归一化", "向量数据库"), "检索", 0),
    (("混合检索的质量归一化", "向量数据库"), "数据库", 1),
    (("混合检索的质量归一化", "向量数据库"), "归一", 0),
    (("部署方案说明", "重跑gen-itgc后检查"), "部署", 0),
    (("部署方案说明", "重跑gen-itgc后检查"), "方案", 0),
    (("部署方案说明", "重跑gen-itgc后检查"), "itgc", 1),
    (("部署方案说明", "重跑gen-itgc后检查"), "gen", 1),
    (("部署方案说明", "重跑gen-itgc后检查"), "检查", 1),
    (("충돌은 해시에서 발생한다", "대한민국의 수도"), "충돌", 0),
    (("충돌은 해시에서 발생한다", "대한민국의 수도"), "해시", 0),
    (("충돌은 해시에서 발생한다", "대한민국의 수도"), "대한민국", 1),
    (("충돌은 해시에서 발생한다", "대한민국의 수도"), "수도", 1),
    (("カタカナとひらがな", "別の文"), "ひらがな", 0),
    (("Zürich liegt am See", "Bern liegt an der Aare"), "zurich", 0),
    (("zurich by the lake", "bern"), "ZÜRICH", 0),
    (("the ﬁnal ﬁx", "another"), "final", 0),
    (("ＡＢＣ full width", "another"), "abc", 0),
    (("call getHTTPResponse here", "call it"), "getHTTPResponse", 0),
    (("call getHTTPResponse here", "call it"), "response", 0),
    (("written in C++ mostly", "written in C mostly"), "C++", 0),
    (("release v1.2.3 today", "release today"), "v1.2.3", 0),
    (("running quickly", "walking slowly"), "runs", 0),
    (("Добро пожаловать", "до свидания"), "пожаловать", 0),
]

# (query, whether the one document about multi-agent systems is to be found)
PUNCTUATED = [
    ("multi-agent", True),
    ("@nasa", True),
    ("a'b agents", True),
    ("38.101", True),
    ("C++", True),
    ("fix/x", True),
    ("why?", True),
    ('"', False),
    ("NEAR(", False),
    ("AND", False),
    ("NOT nasa", True),
    ("col:val agents", True),
    ("*", False),
    ("^agents", True),
    ('he"llo', True),
    ("agents*", True),
    ("'agents' OR 'zzz'", True),
    ("agents\x00", True),
    ("\x00", False),
    ("\ud800 agents", True),
    ("{p0} agents", True),
    ("agents \\", True),
    ("agents\r\n\tnasa", True),
    ("agents " * 1_250, True),
    ("zzz " * 1_000 + "agents", True),
]
TEXT = 'Why multi-agent systems at @nasa need a fix/x for 38.101 in C++, says he"llo'


class WordsContract:
    """Which words find which text; the analyser is ``rag.text``'s, not the engine's."""

    @pytest.mark.scenario("knowledge-stores", "Two Chinese characters find their text")
    def test_words_of_every_script_find_their_text_first(self, store_factory: OpenStore) -> None:
        store = store_factory("scripts")
        for texts in dict.fromkeys(texts for texts, _, _ in FOUND_FIRST):
            store.delete_documents([found.doc_id for found in store.documents()])
            store.write_documents(
                [document(f"{i}.md", text, title="t") for i, text in enumerate(texts)]
            )
            for others, query, first in FOUND_FIRST:
                if others == texts:
                    assert uris(search(store, query, LEXICAL))[:1] == [f"{first}.md"], query
        store.close()

    @pytest.mark.scenario("knowledge-stores", "Query syntax of an engine is only text")
    def test_no_query_is_an_error_and_words_are_found(self, store: KnowledgeStore) -> None:
        store.write_documents([document("it.md", TEXT, title="t")])
        for query, found in PUNCTUATED:
            assert uris(search(store, query, LEXICAL)) == ["it.md"] * found, query[:40]

    def test_composed_and_decomposed_spellings_find_each_other(self, store: KnowledgeStore) -> None:
        word = "café crème"
        forms = [unicodedata.normalize(form, word) for form in ("NFC", "NFD")]
        store.write_documents(
            [document(f"{n}.md", form, title="t") for n, form in enumerate(forms)]
        )
        for form in forms:
            assert sorted(uris(search(store, form, LEXICAL))) == ["0.md", "1.md"]

    def test_headings_are_searchable_and_their_markup_is_not(self, store: KnowledgeStore) -> None:
        store.write_documents(
            [document("x.md", "body", title="Manual", headings=("Quokka", "src"))]
        )
        for query in ("quokka", "src", "manual", "body"):
            assert uris(search(store, query, LEXICAL)) == ["x.md"], query
        for query in ("[", ",", '"', "[]", ">"):
            assert uris(search(store, query, LEXICAL)) == [], query
        (hit,) = search(store, "quokka", LEXICAL).hits
        assert hit.chunk.heading_path == ("Quokka", "src")
        assert hit.chunk.text == "body"

    @pytest.mark.scenario("knowledge-stores", "A long question needs few of its words")
    def test_a_question_of_25_words_finds_a_text_with_six_of_them(
        self, store: KnowledgeStore
    ) -> None:
        store.write_documents(
            [
                document("six.md", "salmon river gravel spawn winter stream", title="t"),
                document("none.md", "tax return form", title="t"),
            ]
        )
        words = ["salmon", "river", "gravel", "spawn", "winter", "stream"]
        question = " ".join([*words, *(f"absent{n}" for n in range(19))])
        assert uris(search(store, question, LEXICAL)) == ["six.md"]

    def test_a_rarer_word_and_a_shorter_text_count_for_more(self, store: KnowledgeStore) -> None:
        store.write_documents(
            [
                document("rare.md", "common unicorn", title="t"),
                document("often.md", "common common", title="t"),
                document("long.md", "unicorn " + "filler " * 60, title="t"),
                document("more.md", "common thing", title="t"),
            ]
        )
        found = uris(search(store, "common unicorn", LEXICAL))
        assert found[0] == "rare.md"
        assert set(found) == {"rare.md", "often.md", "long.md", "more.md"}
        assert uris(search(store, "unicorn", LEXICAL)) == ["rare.md", "long.md"]

    @pytest.mark.scenario("knowledge-stores", "Words that occur nowhere are named")
    def test_unmatched_terms_are_those_of_no_chunk_that_passes(self, store: KnowledgeStore) -> None:
        store.write_documents(
            [
                document("a.md", "violet running C++", title="t", tenant="a"),
                document("b.md", "indigo 质量", title="t", tenant="b"),
            ]
        )
        terms = ANALYZER.query_terms("indigo zebra violet running 质量 C++ heliotrope")
        assert store.unmatched_terms(terms) == tuple(ANALYZER.query_terms("zebra heliotrope"))
        of_a = store.unmatched_terms(terms, parse_filter({"tenant": "a"}))
        assert of_a == tuple(ANALYZER.query_terms("indigo zebra 质量 heliotrope"))
        assert store.unmatched_terms([]) == ()
        nobody = parse_filter({"tenant": "nobody"})
        assert store.unmatched_terms(terms, nobody) == tuple(terms)

"""What counts as a word, at index time and at query time."""

from __future__ import annotations

import re
import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.errors import ConfigError
from rag.text import Analyzer

ENGLISH = Analyzer()
PLAIN = Analyzer("none")

# Words, identifiers, scripts with and without spaces, marks, and characters that change length.
ALPHABET = "abzAZ09éßŁİﬁ½Ａ①  .._-/'’@+#()\"\n\u0301\u200b\ud800\x00中文检カｶﾞ한국ᄒ\u1161กำहिन"
TEXTS = st.text(st.sampled_from(ALPHABET), max_size=60) | st.text(max_size=60)


@given(TEXTS)
@settings(max_examples=100, deadline=None)
def test_terms_are_the_tokens_without_their_spans(text: str) -> None:
    assert ENGLISH.terms(text) == [token.term for token in ENGLISH.tokens(text)]


@given(TEXTS)
@settings(max_examples=100, deadline=None)
def test_every_span_is_a_non_empty_range_of_the_text_and_gives_its_term_again(text: str) -> None:
    for term, start, end in PLAIN.tokens(text):
        assert 0 <= start < end <= len(text)
        assert term in PLAIN.terms(text[start:end]) or len(term) < len(PLAIN.terms(text))


@given(TEXTS)
@settings(max_examples=100, deadline=None)
def test_no_term_is_empty_or_holds_white_space(text: str) -> None:
    assert all(term and not any(char.isspace() for char in term) for term in ENGLISH.terms(text))


@given(st.text(st.characters(codec="ascii"), max_size=60))
@settings(max_examples=100, deadline=None)
def test_the_fast_path_for_ascii_gives_what_the_general_path_gives(text: str) -> None:
    assert ENGLISH.terms(text) == ENGLISH.terms(text + " \u2014")


@pytest.mark.scenario("text-analysis", "Accents, ligatures and full-width letters")
def test_accents_ligatures_and_width_do_not_matter() -> None:
    assert ENGLISH.terms("Zürich ﬁne ＡＢＣ") == ENGLISH.terms("zurich fine abc")
    assert ENGLISH.terms("Łódź Straße Ørsted") == ENGLISH.terms("lodz strasse orsted")


@pytest.mark.scenario("text-analysis", "Decomposed input")
@pytest.mark.parametrize(
    "text", ["대한민국의 수도", "déjà vu à Genève", "ガギグ データベース", "русский йод"]
)
def test_composed_and_decomposed_text_give_the_same_terms(text: str) -> None:
    decomposed = unicodedata.normalize("NFD", text)
    assert decomposed != text
    assert ENGLISH.terms(decomposed) == ENGLISH.terms(text)


def test_half_width_kana_is_kana() -> None:
    assert ENGLISH.terms("ﾃﾞｰﾀ") == ENGLISH.terms("データ")


@pytest.mark.scenario("text-analysis", "Inflected forms")
def test_inflected_words_share_a_term() -> None:
    assert ENGLISH.terms("declare declared DECLARING") == ["declar"] * 3
    assert PLAIN.terms("declared") == ["declared"]


@pytest.mark.scenario("text-analysis", "Unknown stemmer")
def test_an_unknown_stemmer_is_refused_with_the_known_names() -> None:
    with pytest.raises(ConfigError, match="klingon") as caught:
        Analyzer("klingon")
    assert caught.value.allowed is not None
    assert "english" in caught.value.allowed


def test_the_version_names_the_rules_and_the_stemmer() -> None:
    assert ENGLISH.version == "rag-analyzer/2+english"
    assert Analyzer("german").version == "rag-analyzer/2+german"


@pytest.mark.scenario("text-analysis", "Two characters inside a longer run")
@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("质量", "混合检索的质量归一化"),
        ("检索", "混合检索的质量归一化"),
        ("归一", "混合检索的质量归一化"),
        ("数据库", "向量数据库"),
        ("部署", "部署方案说明"),
        ("方案", "部署方案说明"),
        ("대한민국", "대한민국의 수도"),
        ("수도", "대한민국의 수도"),
    ],
)
def test_a_word_inside_a_run_is_found(query: str, text: str) -> None:
    assert set(ENGLISH.query_terms(query)) <= set(ENGLISH.terms(text))


@pytest.mark.scenario("text-analysis", "Emphasis inside a sentence")
@pytest.mark.parametrize(
    "marked", ["声明**请求体**", "声明*请求*体", "声明`请求体`", "声明~~请求~~体"]
)
def test_emphasis_marks_between_characters_are_read_over(marked: str) -> None:
    assert ENGLISH.terms(marked) == ENGLISH.terms("声明请求体") == ["声明", "明请", "请求", "求体"]
    spans = [marked[token.start : token.end] for token in ENGLISH.tokens(marked)]
    assert [re.sub("[*`~]", "", span) for span in spans] == ENGLISH.terms(marked)


def test_what_separates_words_is_no_emphasis() -> None:
    assert ENGLISH.terms("周一~周五") == ["周一", "周五"]
    assert ENGLISH.terms("周一 ** 周五") == ["周一", "周五"]


def test_a_run_of_one_character_is_itself() -> None:
    assert ENGLISH.terms("第 3 章") == ["第", "3", "章"]


@pytest.mark.scenario("text-analysis", "Latin identifier between Chinese words")
def test_a_latin_identifier_between_chinese_words_is_found() -> None:
    assert ENGLISH.terms("重跑gen-itgc后检查") == [
        "重跑", "gen-itgc", "gen", "itgc", "后检", "检查",
    ]  # fmt: skip


@pytest.mark.scenario("text-analysis", "Korean particles")
def test_korean_words_are_found_under_their_particles() -> None:
    assert {"충돌", "해시"} <= set(ENGLISH.terms("충돌은 해시에서 발생한다"))


@pytest.mark.scenario("text-analysis", "Kinds of identifiers")
@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("getHTTPResponse", ["gethttpresponse", "get", "http", "response"]),
        ("foo_bar", ["foo_bar", "foo", "bar"]),
        ("v1.2.3", ["v1.2.3", "v1", "2", "3"]),
        ("C++", ["c++", "c"]),
        ("C#", ["c#", "c"]),
        ("C++17", ["c++", "c", "17"]),
        (".NET", [".net", "net"]),
        ("fix/x", ["fix/x", "fix", "x"]),
        ("multi-agent", ["multi-agent", "multi", "agent"]),
        ("38.101", ["38.101", "38", "101"]),
        ("@nasa", ["@nasa", "nasa"]),
        ("a'b", ["a'b", "a", "b"]),
        ("a’b", ["a'b", "a", "b"]),
        ("AT&T", ["at&t", "at", "t"]),
        ("__init__", ["init"]),
        ("obj.foo_bar", ["obj.foo_bar", "foo_bar", "obj", "foo", "bar"]),
        ("@app.get", ["@app.get", "app.get", "app", "get"]),
        ("dog's", ["dog"]),
        ("APIs", ["apis"]),
        ("mRNA", ["mrna"]),
        ("PyTorch", ["pytorch", "py", "torch"]),
        ("end.", ["end"]),
        ("(see: x)", ["see", "x"]),
    ],
)
def test_identifiers_are_kept_whole_and_also_split(text: str, terms: list[str]) -> None:
    assert PLAIN.terms(text) == terms


def test_a_camel_case_name_is_found_in_any_case() -> None:
    assert ENGLISH.terms("getHTTPResponse")[0] == ENGLISH.terms("gethttpresponse")[0]


def test_plurals_of_parts_are_stemmed_and_wholes_are_not() -> None:
    assert ENGLISH.terms("multi-agents") == ["multi-agents", "multi", "agent"]


@pytest.mark.scenario("text-analysis", "Markup gives no terms")
def test_markup_is_never_a_term() -> None:
    assert ENGLISH.terms('["app","src"]') == ["app", "src"]
    assert ENGLISH.terms('","') == []
    assert ENGLISH.terms("** -- // __ '' :: -> <> $ % ``` | # …「」") == []


def test_data_without_word_boundaries_is_one_bounded_term() -> None:
    assert ENGLISH.terms("ab" * 5_000) == [("ab" * 5_000)[:64]]


@pytest.mark.scenario("text-analysis", "Spans survive folding")
def test_spans_are_ranges_of_the_original_text() -> None:
    text = "Cafe\u0301 ﬁne e\u200bx"
    assert [(t.term, text[t.start : t.end]) for t in PLAIN.tokens(text)] == [
        ("cafe", "Cafe\u0301"),
        ("fine", "ﬁne"),
        ("ex", "e\u200bx"),
    ]


@pytest.mark.scenario("text-analysis", "Question with stop words")
def test_stop_words_of_a_question_are_dropped_and_repeats_too() -> None:
    assert ENGLISH.query_terms("How do I declare a path parameter?") == [
        "declar",
        "path",
        "paramet",
    ]
    assert ENGLISH.query_terms("path PATH paths") == ["path"]


@pytest.mark.scenario("text-analysis", "Nothing but stop words")
def test_stop_words_stay_where_there_is_nothing_else() -> None:
    assert ENGLISH.query_terms("the of and") == ["the", "of", "and"]


@pytest.mark.scenario("text-analysis", "No word at all")
@pytest.mark.parametrize("query", ["", "   ", "?!", "\u200b", "*", '"', "\x00", "\ud800"])
def test_a_query_without_a_word_has_no_terms(query: str) -> None:
    assert ENGLISH.query_terms(query) == []


@pytest.mark.parametrize(
    "query",
    [
        "multi-agent", "@nasa", "a'b", "38.101", "C++", "fix/x", "why?", "NEAR(x", "AND", "NOT x",
        "col:val", "^a", 'he"llo', "foo*", "'a' OR 'b'", "x\x00y", "word " * 2_000,
    ],
)  # fmt: skip
def test_query_syntax_of_an_engine_is_only_words(query: str) -> None:
    assert ENGLISH.query_terms(query)
    assert set(ENGLISH.query_terms(query)) <= set(ENGLISH.terms(query))


def test_query_words_are_verbatim_with_their_terms() -> None:
    assert ENGLISH.query_words("What's the Multi-Agent 检索质量, the C++?") == [
        ("Multi-Agent", ("multi-agent", "multi", "agent")),
        ("检索质量", ("检索", "索质", "质量")),
        ("C++", ("c++", "c")),
    ]


def test_a_stop_word_in_capitals_may_be_a_topic() -> None:
    assert "us" in ENGLISH.query_terms("who is president of the US")


def test_importing_the_room_loads_no_model_library() -> None:
    code = (
        "import sys, rag.text; "
        "print(sorted({'numpy', 'tokenizers', 'bpe_openai', 'pymilvus'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

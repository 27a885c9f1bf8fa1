"""A filter decided in Python, and the globs that stores share."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.errors import InvalidFilterError
from rag.ingest.records import Media, Trust
from rag.stores.filter_match import glob_regex, matches
from rag.stores.filters import parse_filter
from rag.testing.canned_retriever import canned_chunk

CHUNK = canned_chunk(
    "a",
    uri="docs/guide/install.md",
    tags=("howto", "linux"),
    media=Media.MARKDOWN,
    language="en",
    source="handbook",
    source_type="manual",
    trust=Trust.SECONDARY,
    tenant="acme",
    indexed_at="2026-01-31T12:00:00.500000Z",
)


@pytest.mark.parametrize(
    ("given", "passes"),
    [
        ({}, True),
        ({"tags": ["linux", "mac"]}, True),
        ({"tags": ["mac"]}, False),
        ({"tags": "howto"}, True),
        ({"media": "md"}, True),
        ({"media": ["pdf", "html"]}, False),
        ({"lang": "en"}, True),
        ({"lang": "EN"}, False),
        ({"source": "handbook"}, True),
        ({"source": "hand"}, False),
        ({"source_type": ["paper", "manual"]}, True),
        ({"tenant": "acme"}, True),
        ({"tenant": ""}, False),
        ({"doc_id": CHUNK.doc_id}, True),
        ({"doc_id": "0" * 32}, False),
        ({"trust_min": "primary"}, False),
        ({"trust_min": "secondary"}, True),
        ({"trust_min": "generated"}, True),
        ({"path_prefix": "docs/g"}, True),
        ({"path_prefix": "docs_g"}, False),
        ({"path_prefix": "docs%"}, False),
        ({"path_glob": "docs/*/*.md"}, True),
        ({"path_glob": "docs/*.md"}, False),
        ({"indexed_after": "2026-01-31T12:00:00.5Z"}, True),
        ({"indexed_after": "2026-01-31T12:00:00.500001Z"}, False),
        ({"indexed_after": "2026-01-31T12:00:00Z"}, True),
        ({"indexed_after": "2026-01-31T13:00:00+01:00"}, True),
        ({"indexed_after": "2026-01-31T07:30:00-05:00"}, False),
        ({"tags": "linux", "lang": "en", "path_prefix": "docs/"}, True),
        ({"tags": "linux", "lang": "de", "path_prefix": "docs/"}, False),
        ({"tags": '") or true or ("'}, False),
        ({"source": 'x" || "1"=="1'}, False),
    ],
)
def test_every_key_must_hold_and_any_value_within_a_key(given: dict[str, object], passes: bool):
    assert matches(parse_filter(given), CHUNK) is passes


def test_a_time_without_offset_in_an_index_is_read_as_utc():
    chunk = canned_chunk("a", indexed_at="2026-01-31T12:00:00")
    noon = datetime(2026, 1, 31, 14, tzinfo=timezone(timedelta(hours=2)))
    assert matches(parse_filter({"indexed_after": noon.astimezone(UTC)}), chunk)


def test_a_prefix_is_literal():
    one, other = canned_chunk("a", uri="my_docs/a"), canned_chunk("b", uri="myXdocs/b")
    prefix = parse_filter({"path_prefix": "my_docs/"})
    assert (matches(prefix, one), matches(prefix, other)) == (True, False)


@pytest.mark.parametrize("value", ['a"b', "a\\", "C:\\new", "x\n y", "O'Brien", "𝔘", "\t"])
def test_odd_values_match_exactly_themselves(value: str):
    odd, plain = canned_chunk("a", source=value), canned_chunk("b")
    assert matches(parse_filter({"source": value}), odd)
    assert not matches(parse_filter({"source": value}), plain)


def fits(pattern: str, path: str) -> bool:
    return glob_regex(pattern).match(path) is not None


@pytest.mark.scenario("retrieval", "Glob and separators")
def test_a_star_does_not_cross_a_slash_and_two_do():
    assert fits("docs/*.md", "docs/a.md")
    assert not fits("docs/*.md", "docs/x/a.md")
    assert fits("docs/**/*.md", "docs/a.md")
    assert fits("docs/**/*.md", "docs/x/y/a.md")


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("a.md", "a.md", True),
        ("a.md", "axmd", False),
        ("a.md", "A.md", False),
        ("?.md", "a.md", True),
        ("?.md", "/.md", False),
        ("?.md", "ab.md", False),
        ("*", "a", True),
        ("*", "", True),
        ("*", "a/b", False),
        ("**", "a/b/c", True),
        ("**", "", True),
        ("**/b", "b", True),
        ("**/b", "a/b", True),
        ("**/b", "ab", False),
        ("a/**", "a/b/c", True),
        ("a/**", "a", False),
        ("a/**/b", "a/b", True),
        ("a/**/b", "a/x/y/b", True),
        ("a/**/b", "ab", False),
        ("a**b", "a/x/b", True),
        ("**/x*/y", "x1/z/x2/y", True),
        ("**/**/a", "a", True),
        ("*.m?", ".md", True),
        ("a*b*c", "a_b_b_c", True),
        ("a*b*c", "a_b_b_", False),
        ("*a/b*", "xaya/bc", True),
        ("[ab].md", "b.md", True),
        ("[ab].md", "c.md", False),
        ("[!ab].md", "c.md", True),
        ("[^ab].md", "a.md", False),
        ("[!a]b", "/b", False),
        ("[a-c]", "b", True),
        ("[c-a]", "b", False),
        ("[!c-a]", "b", True),
        ("[]]", "]", True),
        ("[!]]", "a", True),
        ("[a-]", "-", True),
        ("[*]", "*", True),
        ("[*]", "a", False),
        ("[\\]", "\\", True),
        ("[", "[", True),
        ("[ab", "[ab", True),
        ("[!", "[!", True),
        ("a[", "a[", True),
        (r"\*", "*", True),
        (r"\*", "a", False),
        ("a\\", "a\\", True),
        ("{a,b}", "{a,b}", True),
        ("{a,b}", "a", False),
        ("(a|b)+$", "(a|b)+$", True),
        ("a\nb*", "a\nbc", True),
        ("a", "a\n", False),
        ("文*/说明.md", "文档/说明.md", True),
        ("", "", True),
        ("", "a", False),
    ],
)
def test_globs(pattern: str, path: str, expected: bool):
    assert fits(pattern, path) is expected


def reference(pattern: str, path: str) -> bool:
    """The same rules by plain recursion, for patterns of literals, ``?``, ``*`` and ``**``."""

    @cache
    def rest(p: int, s: int) -> bool:
        if p == len(pattern):
            return s == len(path)
        if pattern[p] == "*":
            end = p
            while pattern[end : end + 1] == "*":
                end += 1
            if end - p == 1:
                stop = path.find("/", s)
                return any(rest(end, i) for i in range(s, (stop if stop >= 0 else len(path)) + 1))
            if (p == 0 or pattern[p - 1] == "/") and pattern[end : end + 1] == "/":
                starts = [s, *(i + 1 for i in range(s, len(path)) if path[i] == "/")]
                return any(rest(end + 1, i) for i in starts)
            return any(rest(end, i) for i in range(s, len(path) + 1))
        if s == len(path):
            return False
        fits_one = path[s] != "/" if pattern[p] == "?" else path[s] == pattern[p]
        return fits_one and rest(p + 1, s + 1)

    return rest(0, 0)


@settings(max_examples=100, deadline=None)
@given(
    pattern=st.lists(st.sampled_from(["a", "b", "/", "*", "**", "**/", "?"]), max_size=10),
    paths=st.lists(st.text(alphabet="ab/", max_size=10), max_size=20),
)
def test_settling_at_the_first_fit_misses_nothing(pattern: list[str], paths: list[str]):
    glob = "".join(pattern)
    assert [fits(glob, path) for path in paths] == [reference(glob, path) for path in paths]


@pytest.mark.parametrize("unit", ["*a", "**a", "**/a", "**/*a", "*a/", "?*"])
def test_a_hostile_glob_is_answered(unit: str):
    """With backtracking this test would not end in a lifetime."""
    pattern = glob_regex((unit * 200)[:900] + "b")
    assert not any(pattern.match(path) for path in ("a" * 200, "a/" * 100, "aa/" * 70))


def test_an_overlong_glob_is_refused():
    with pytest.raises(InvalidFilterError, match="1001 characters"):
        glob_regex("a" * 1_001)

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.errors import UnreadableFileError
from rag.ingest.readers import ReaderRegistry, reader_for, supported_suffixes
from rag.ingest.readers.docx_reader import DocxReader
from rag.ingest.readers.plain_text_reader import PlainTextReader
from rag.ingest.records import Media, ParsedDocument, Trust
from tests.ingest.builders import chunks_of, docx_bytes, new_docx, pdf_bytes


def read(content: str | bytes, uri: str) -> ParsedDocument:
    """Read with the built-in reader; holds that the sections partition the text."""
    reader = reader_for(uri)
    assert reader is not None
    parsed = reader.read(content.encode() if isinstance(content, str) else content, uri=uri)
    at = 0
    for section in parsed.sections:
        assert section.start == at < section.end
        at = section.end
        inner = section.start
        for start, end in section.atomic:
            assert inner <= start < end <= section.end
            inner = end
    assert at == len(parsed.text)
    return parsed


def paths(parsed: ParsedDocument) -> list[tuple[str, ...]]:
    return [section.heading_path for section in parsed.sections]


def kept_whole(parsed: ParsedDocument) -> list[str]:
    return [parsed.text[a:b] for section in parsed.sections for a, b in section.atomic]


class TestRegistry:
    @pytest.mark.parametrize(
        ("uri", "media"),
        [
            ("a/b.md", Media.MARKDOWN), ("B.MD", Media.MARKDOWN), ("a.ipynb", Media.MARKDOWN),
            ("a.txt", Media.TEXT), ("a.csv", Media.TEXT), ("README", Media.TEXT),
            ("a.rst", Media.RST), ("a.HTML", Media.HTML), ("a.pdf", Media.PDF),
            ("a.docx", Media.DOCX), ("a.py", Media.CODE), ("a.d.ts", Media.CODE),
            ("a.yaml", Media.CODE), ("a.json", Media.CODE), ("x/Makefile", Media.CODE),
        ],
    )  # fmt: skip
    def test_the_name_decides_the_reader(self, uri: str, media: Media) -> None:
        reader = reader_for(uri)
        assert reader is not None
        assert reader.media is media

    @pytest.mark.parametrize("uri", ["a.png", "a", ".md", "a.md/b", "a.", ".env", "a.doc", ""])
    def test_other_names_have_none(self, uri: str) -> None:
        assert reader_for(uri) is None
        assert not ReaderRegistry().supports(uri)

    def test_every_listed_suffix_has_a_reader_that_lists_it(self) -> None:
        for suffix in supported_suffixes():
            reader = reader_for(f"a{suffix}")
            assert reader is not None
            assert suffix in reader.suffixes

    def test_a_reader_of_ones_own_comes_first(self) -> None:
        class Shouting(PlainTextReader):
            suffixes = frozenset({".MD", ".shout"})

        registry = ReaderRegistry([Shouting()])
        assert isinstance(registry.reader_for("a.md"), Shouting)
        assert isinstance(registry.reader_for("a.shout"), Shouting)
        assert ".shout" in registry.supported_suffixes()
        assert not isinstance(reader_for("a.md"), Shouting)

    def test_a_reader_library_is_loaded_only_for_its_own_files(self) -> None:
        code = (
            "import sys; from rag.ingest.readers import reader_for;"
            "heavy = {'pypdfium2', 'docx', 'selectolax', 'markdown_it'};"
            "assert not heavy & set(sys.modules), heavy & set(sys.modules);"
            "reader_for('a.txt').read(b'x', uri='a.txt');"
            "assert not heavy & set(sys.modules); reader_for('a.pdf');"
            "assert heavy & set(sys.modules) == {'pypdfium2'}"
        )
        subprocess.run([sys.executable, "-c", code], check=True)


class TestMarkdown:
    def test_headings_nest_by_rank_and_skipped_ranks_are_no_fault(self) -> None:
        parsed = read("# A\na\n### C\nc\n## B\nb\n# D\nd\n", "x.md")
        assert paths(parsed) == [("A",), ("A", "C"), ("A", "B"), ("D",)]
        assert parsed.title == "A"

    def test_setext_and_atx_headings_are_the_same(self) -> None:
        parsed = read("Top\n===\nx\n\nSub\n---\ny\n\n###### Deep ######\nz\n", "x.md")
        assert paths(parsed) == [("Top",), ("Top", "Sub"), ("Top", "Sub", "Deep")]

    @pytest.mark.parametrize(
        ("source", "name"),
        [
            ("Plain { #anchor }", "Plain"),
            ("Plain {#anchor .class}", "Plain"),
            ("Plain {: #anchor}", "Plain"),
            ("The `code` and *emphasis*", "The code and emphasis"),
            ("[Link](https://x.org) and ![alt](y.png)", "Link and alt"),
            ("<dfn title='x'>conversion</dfn> &amp; more", "conversion & more"),
            ("snake_case_name", "snake_case_name"),
            ("C# and {braces}", "C# and {braces}"),
            ("제목 { #title }", "제목"),
        ],
    )
    @pytest.mark.scenario("ingestion", "Heading with an anchor")
    def test_a_heading_is_named_by_its_words(self, source: str, name: str) -> None:
        assert paths(read(f"# {source}\n\nx\n", "x.md")) == [(name,)]

    def test_hashes_in_code_quotes_and_lists_are_no_headings(self) -> None:
        text = "# A\n\n```\n# no\n```\n\n    # no\n\n> # no\n\n- # no\n\n<!--\n# no\n-->\n"
        assert paths(read(text, "x.md")) == [("A",)]

    def test_a_fence_that_is_never_closed_runs_to_the_end(self) -> None:
        parsed = read("# A\n\n```\n# no\n\n## no\n", "x.md")
        assert paths(parsed) == [("A",)]
        assert kept_whole(parsed) == ["```\n# no\n\n## no\n"]

    def test_equal_headings_stay_apart(self) -> None:
        assert paths(read("# A\nx\n# A\ny\n", "x.md")) == [("A",), ("A",)]

    def test_a_heading_without_words_closes_the_one_before(self) -> None:
        assert paths(read("# A\nx\n## B\ny\n##\nz\n", "x.md")) == [("A",), ("A", "B"), ("A",)]

    def test_an_absurd_heading_is_shortened(self) -> None:
        ((name,),) = paths(read("# " + "word " * 10_000, "x.md"))
        assert len(name) == 200
        assert name.endswith("…")

    def test_blocks_that_belong_together_are_named(self) -> None:
        text = (
            "- one\n- two\n\n  more\n\n| a |\n|---|\n| b |\n\n> quote\n\n"
            "/// note\n\nx\n\n///\n\n::: tip\ny\n:::\n\n```py\nz\n```\n"
        )
        assert [part.strip() for part in kept_whole(read(text, "x.md"))] == [
            "- one",
            "- two\n\n  more",
            "| a |\n|---|\n| b |",
            "> quote",
            "/// note\n\nx\n\n///",
            "::: tip\ny\n:::",
            "```py\nz\n```",
        ]

    def test_a_container_that_a_heading_cuts_keeps_the_fence_inside_it_whole(self) -> None:
        text = "::: tab\n\n```\na\n```\n\n# H\n\nx\n\n:::\n"
        assert kept_whole(read(text, "x.md")) == ["```\na\n```\n"]

    @pytest.mark.scenario("ingestion", "Line ends and byte order mark")
    def test_the_text_is_the_file_with_line_feeds(self) -> None:
        text = "\ufeff# A\r\n\r\n\tx  \r\ny\u2028z\r\n"
        assert read(text, "x.md").text == "# A\n\n\tx  \ny\u2028z\n"

    @pytest.mark.scenario("ingestion", "Front matter values")
    def test_front_matter_says_what_the_document_is(self) -> None:
        parsed = read(
            "---\n"
            'title: "Setup: the guide"  # shown in the menu\n'
            "tags: [install, 'first steps', install]\n"
            "language: pt-BR\n"
            "trust: secondary\n"
            "source_type: handbook\n"
            "nested:\n  title: no\n"
            "---\n# Heading\nx\n",
            "x.md",
        )
        assert parsed.title == "Setup: the guide"
        assert parsed.tags == ("install", "first steps")
        assert parsed.language == "pt"
        assert parsed.trust is Trust.SECONDARY
        assert parsed.source_type == "handbook"
        assert paths(parsed) == [(), ("Heading",)]
        assert parsed.sections[0].body_start == parsed.sections[0].end

    def test_tags_may_be_listed_by_line_or_by_comma(self) -> None:
        assert read("---\ntags:\n  - a\n  - b\n---\n", "x.md").tags == ("a", "b")
        assert read("---\ntags: a, b\n---\n", "x.md").tags == ("a", "b")

    def test_toml_front_matter_is_read(self) -> None:
        parsed = read('+++\ntitle = "T"\ntags = ["a"]\n+++\nx\n', "x.md")
        assert (parsed.title, parsed.tags) == ("T", ("a",))

    @pytest.mark.parametrize(
        "text",
        ["---\n\nA rule, then text.\n\n---\n", "---\ntitle: never closed\n", "+++\nno toml\n+++\n",
         "\n---\ntitle: late\n---\n", "----\ntitle: x\n----\n", "---\n---\n"],
    )  # fmt: skip
    def test_what_only_looks_like_front_matter_is_text(self, text: str) -> None:
        parsed = read(text, "stem.md")
        assert parsed.title in {"stem", "title: x", "title: late"}
        assert parsed.sections[0].body_start != parsed.sections[0].end

    @pytest.mark.parametrize("value", ["trust: absolute", "language: korean", "title:", "tags:"])
    def test_a_value_that_is_not_allowed_counts_as_absent(self, value: str) -> None:
        parsed = read(f"---\nid: 1\n{value}\n---\nx\n", "stem.md")
        assert parsed.title == "stem"
        assert (parsed.trust, parsed.language, parsed.tags) == (None, None, ())

    @settings(max_examples=100, deadline=None)
    @given(st.text(alphabet="-+: \n#`|>ab\t[]{}'\"~*_=/\\<", max_size=120))
    def test_any_markdown_is_read(self, text: str) -> None:
        assert read(text, "x.md").text == text


class TestReStructuredText:
    def test_ranks_follow_the_order_of_the_adornments(self) -> None:
        text = "===\nTop\n===\n\na\n\nSub\n---\nb\n\nDeep\n~~~~\nc\n\nSub 2\n-----\nd\n"
        parsed = read(text, "x.rst")
        assert paths(parsed) == [
            ("Top",), ("Top", "Sub"), ("Top", "Sub", "Deep"), ("Top", "Sub 2"),
        ]  # fmt: skip
        assert parsed.title == "Top"

    def test_wide_characters_count_twice_as_in_docutils(self) -> None:
        assert paths(read("제목\n====\nx\n", "x.rst")) == [("제목",)]
        assert paths(read("제목\n===\nx\n", "x.rst")) == [()]

    @pytest.mark.parametrize(
        "text",
        ["Text\n\n-----\n\nmore\n", "too long a title\n---\n", "  Quoted\n--------\n",
         "two\nlines\n-----\n",
         "=====  =====\nA      B\n=====  =====\n1      2\n=====  =====\n", "x\n...\n"],
    )  # fmt: skip
    def test_transitions_tables_and_short_underlines_are_no_headings(self, text: str) -> None:
        parsed = read(text, "stem.rst")
        assert paths(parsed) in ([()], [("x",)])
        assert parsed.text == text

    def test_markup_is_taken_off_the_names(self) -> None:
        text = "The ``code`` of :ref:`there <x>` and *it*\n" + "=" * 45 + "\nx\n"
        assert paths(read(text, "x.rst")) == [("The code of there and it",)]

    def test_literal_blocks_and_directives_are_kept_whole(self) -> None:
        text = "Run::\n\n   a\n\n   b\n\n.. code:: python\n\n   c\n\nEnd\n"
        assert kept_whole(read(text, "x.rst")) == [
            "Run::\n\n   a\n\n   b\n",
            ".. code:: python\n\n   c\n",
        ]


class TestHtml:
    PAGE = """<!doctype html><html lang="de-AT"><head><title> My
      page </title><style>p{}</style></head><body><nav>menu</nav><header><h1>Top <em>one</em></h1>
      </header><p>Hello <b>big</b>
      world<br>next</p><script>evil()</script>
      <ul><li>a<ul><li>a1</li></ul></li><li><p>b</p></li></ul>
      <table><tr><th>k</th><th>v</th></tr><tr><td>1</td><td>2</td></tr></table>
      <h2>Code</h2><pre>
def f():
    return 1
</pre><p>after &amp; <img alt="a cat"></p><footer>(c)</footer></body></html>"""

    @pytest.mark.scenario("ingestion", "HTML page")
    def test_what_a_reader_sees_is_read_with_its_structure(self) -> None:
        parsed = read(self.PAGE, "x.html")
        assert parsed.text == (
            "Top one\n\nHello big world\nnext\n\n- a\n  - a1\n- b\n\nk | v\n1 | 2\n\n"
            "Code\n\ndef f():\n    return 1\n\nafter & a cat"
        )
        assert parsed.title == "My page"
        assert parsed.language == "de"
        assert paths(parsed) == [("Top one",), ("Top one", "Code")]
        assert kept_whole(parsed) == [
            "- a\n  - a1", "- b", "k | v\n1 | 2", "def f():\n    return 1\n",
        ]  # fmt: skip

    @pytest.mark.parametrize(
        "hidden",
        ["<div hidden>bad</div>", "<p style='display: none'>bad</p>", "<template>bad</template>",
         "<p style='VISIBILITY:hidden'>bad</p>", "<!-- bad -->", "<noscript>bad</noscript>",
         "<svg><text>bad</text></svg>", "<i aria-hidden='true'>bad</i>"],
    )  # fmt: skip
    @pytest.mark.scenario("ingestion", "Hidden text in HTML")
    def test_what_a_reader_does_not_see_is_not_read(self, hidden: str) -> None:
        assert read(f"<p>good</p>{hidden}<p>fine</p>", "x.html").text == "good\n\nfine"

    def test_where_there_is_one_main_only_that_is_read(self) -> None:
        assert read("<div>around</div><main><p>x</p></main>", "x.html").text == "x"
        assert read("<main>a</main><main>b</main>", "x.html").text == "a\nb"

    def test_a_declared_encoding_is_used(self) -> None:
        page = '<meta charset="gb2312"><p>你好</p>'.encode("gb2312")
        assert read(page, "x.html").text == "你好"

    @pytest.mark.parametrize(
        "page",
        ["<div>" * 100_000, "<b>" * 100_000, "<table><tr><td>" * 50_000, "<a <a" * 50_000],
        ids=["div", "b", "table", "a"],
    )
    def test_hostile_nesting_is_refused_in_no_time(self, page: str) -> None:
        with pytest.raises(UnreadableFileError, match="512 deep"):
            read(page, "x.html")

    @pytest.mark.parametrize(
        "page",
        ["<!--" * 50_000, "<script>" * 50_000, "<" * 100_000, "<p>" * 20_000 + "x",
         "<div>" * 300 + "deep" + "</div>" * 300, "<li>" * 500, "", "<html", "&#xD800;&#0;x"],
        ids=["comment", "script", "lt", "p", "div", "li", "empty", "cut", "reference"],
    )  # fmt: skip
    def test_odd_pages_are_read(self, page: str) -> None:
        read(page, "x.html").text.encode("utf-8")

    @settings(max_examples=60, deadline=None)
    @given(
        st.lists(
            st.sampled_from(
                ["<h1>", "</h1>", "<h2>", "<li>", "<ul>", "</ul>", "<table>", "<tr>", "<td>",
                 "<pre>", "</pre>", "</table>", "<br>", " a ", "b\n", "<p>", "<main>", "<b>",
                 "</b>", "<nav>"]
            ),
            max_size=30,
        ).map("".join)
    )  # fmt: skip
    def test_any_page_has_sections_that_partition_its_text(self, page: str) -> None:
        read(page, "x.html")


class TestPdf:
    @pytest.mark.scenario("ingestion", "PDF with an empty page")
    def test_each_page_with_text_is_a_section_that_cites_it(self) -> None:
        parsed = read(pdf_bytes([["Page one", "line two"], [], ["Page three"]]), "dir/report.pdf")
        assert [section.page for section in parsed.sections] == [1, 3]
        assert parsed.text == "Page one\nline two\n\nPage three\n\n"
        assert parsed.title == "report"
        chunks = chunks_of(pdf_bytes([["Page one"], [], ["Page three"]]), "report.pdf")
        assert [chunk.span.fragment() for chunk in chunks] == ["p=1", "p=3"]

    @pytest.mark.parametrize(
        ("written", "title"),
        [("Annual report", "Annual report"), ("untitled", "x"), ("thesis.dvi", "x"), ("", "x")],
    )
    def test_the_title_is_the_documents_own_where_it_is_one(self, written: str, title: str) -> None:
        assert read(pdf_bytes([["a"]], title=written), "x.pdf").title == title

    def test_a_pdf_without_text_is_an_empty_text(self) -> None:
        assert read(pdf_bytes([[], []]), "x.pdf").text == ""

    @pytest.mark.parametrize("data", [b"", b"no pdf", pdf_bytes([["x"]])[:150]])
    def test_a_damaged_file_is_unreadable(self, data: bytes) -> None:
        with pytest.raises(UnreadableFileError, match="damaged"):
            read(data, "x.pdf")

    def test_an_encrypted_file_says_that_it_needs_a_password(self) -> None:
        encrypt = (
            f"/ID[<00><00>]/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<{'41' * 32}>/U<{'42' * 32}>>>"
        )
        with pytest.raises(UnreadableFileError, match="password"):
            read(pdf_bytes([["x"]], trailer=encrypt), "x.pdf")

    def test_several_threads_may_read_at_once(self) -> None:
        data = pdf_bytes([[f"page {number}"] for number in range(30)])
        with ThreadPoolExecutor(4) as pool:
            texts = set(pool.map(lambda _: read(data, "x.pdf").text, range(12)))
        assert len(texts) == 1

    @settings(max_examples=60, deadline=None)
    @given(st.lists(st.tuples(st.integers(0, 700), st.integers(0, 255)), max_size=12))
    def test_flipped_bytes_give_text_or_the_typed_error(self, flips: list[tuple[int, int]]) -> None:
        data = bytearray(pdf_bytes([["Hello"], ["world"]]))
        for at, value in flips:
            data[at % len(data)] = value
        try:
            read(bytes(data), "x.pdf")
        except UnreadableFileError:
            return


class TestDocx:
    def test_headings_lists_and_tables_are_read_in_order(self) -> None:
        document = new_docx()
        document.add_paragraph("The handbook", style="Title")
        document.add_heading("One", 1)
        document.add_paragraph("A paragraph\nof two lines.")
        document.add_paragraph("first", style="List Bullet")
        document.add_paragraph("second", style="List Number")
        table = document.add_table(2, 2)
        table.cell(0, 0).text, table.cell(0, 1).text = "k", "v"
        table.cell(1, 0).merge(table.cell(1, 1)).text = "merged"
        document.add_heading("Two", 2)
        document.add_paragraph("End.")
        parsed = read(docx_bytes(document), "x.docx")
        assert parsed.text == (
            "The handbook\n\nOne\n\nA paragraph\nof two lines.\n\n- first\n- second\n\n"
            "k | v\nmerged\n\nTwo\n\nEnd."
        )
        assert paths(parsed) == [(), ("One",), ("One", "Two")]
        assert parsed.title == "The handbook"
        assert kept_whole(parsed) == ["- first", "- second", "k | v\nmerged"]

    def test_a_document_of_one_table_is_read(self) -> None:
        document = new_docx()
        document.add_table(1, 2).cell(0, 1).text = "only"
        parsed = read(docx_bytes(document), "stem.docx")
        assert parsed.text == " | only"
        assert parsed.title == "stem"

    def test_an_empty_document_is_an_empty_text(self) -> None:
        assert read(docx_bytes(new_docx()), "x.docx").text == ""

    def test_insertions_count_and_deletions_do_not(self) -> None:
        document = new_docx()
        run = document.add_paragraph("kept ").add_run("tracked")
        text = docx_bytes(document)
        element = run._r
        parent = element.getparent()
        for tag, expected in (("w:ins", "kept tracked"), ("w:moveFrom", "kept")):
            wrapper = element.makeelement(
                element.tag.replace("}r", "}" + tag.removeprefix("w:")), nsmap=element.nsmap
            )
            parent.replace(element, wrapper)
            wrapper.append(element)
            text = docx_bytes(document)
            assert read(text, "x.docx").text == expected
            parent.replace(wrapper, element)

    def test_title_and_language_come_from_the_properties(self) -> None:
        document = new_docx()
        document.core_properties.title = "From properties"
        document.core_properties.language = "ko-KR"
        document.add_paragraph("x")
        parsed = read(docx_bytes(document), "x.docx")
        assert (parsed.title, parsed.language) == ("From properties", "ko")

    @pytest.mark.parametrize(
        ("data", "reason"),
        [(b"", "damaged"), (b"junk", "damaged"), (b"\xd0\xcf\x11\xe0rest", "password"),
         (b"PK\x05\x06" + b"\0" * 18, "damaged")],
    )  # fmt: skip
    @pytest.mark.scenario("ingestion", "Damaged file")
    def test_a_damaged_file_is_unreadable(self, data: bytes, reason: str) -> None:
        with pytest.raises(UnreadableFileError, match=reason):
            read(data, "x.docx")

    @settings(max_examples=60, deadline=None)
    @given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=9))
    def test_flipped_bytes_give_text_or_the_typed_error(self, flips: list[tuple[int, int]]) -> None:
        data = bytearray(DOCX)
        for at, value in flips:
            data[at % len(data)] = value
        try:
            DocxReader().read(bytes(data), uri="x.docx")
        except UnreadableFileError:
            return


DOCX = docx_bytes(new_docx())


class TestNotebook:
    def test_cells_become_markdown(self) -> None:
        notebook = {
            "cells": [
                {"cell_type": "markdown", "source": ["# Study\n", "Words."]},
                {"cell_type": "code", "source": "print('```')", "outputs": [{"text": "noise"}]},
                {"cell_type": "raw", "source": ""},
            ],
            "metadata": {"kernelspec": {"language": "python"}},
        }
        parsed = read(json.dumps(notebook), "x.ipynb")
        assert parsed.text == "# Study\nWords.\n\n````python\nprint('```')\n````\n"
        assert parsed.title == "Study"
        assert kept_whole(parsed) == ["````python\nprint('```')\n````\n"]

    @pytest.mark.parametrize(
        "text",
        ["", "{}", "[]", "null", '{"cells": 1}', '{"cells": [1]}', '{"cells": [{"source": 3}]}',
         "[" * 100_000, '{"cells": [{"cell_type": "code", "source": [1]}]}', '{"worksheets": []}'],
    )  # fmt: skip
    def test_what_is_no_notebook_is_unreadable(self, text: str) -> None:
        with pytest.raises(UnreadableFileError, match="not a Jupyter notebook"):
            read(text, "x.ipynb")

    def test_lone_surrogates_in_the_json_do_no_harm(self) -> None:
        text = '{"cells": [{"cell_type": "markdown", "source": "a \\ud800 b"}]}'
        assert read(text, "x.ipynb").text == "a ? b\n"


class TestTextAndCode:
    def test_text_is_one_section_titled_by_its_stem(self) -> None:
        parsed = read("a\n\nb\n", "notes/todo.txt")
        assert (parsed.title, parsed.language, len(parsed.sections)) == ("todo", None, 1)

    def test_code_is_titled_by_its_name_and_has_no_human_language(self) -> None:
        parsed = read("x = 1\n", "src/app.py")
        assert (parsed.title, parsed.language) == ("app.py", "und")

    @pytest.mark.parametrize("uri", ["a.md", "a.txt", "a.rst", "a.html", "a.py"])
    def test_an_empty_file_is_an_empty_text(self, uri: str) -> None:
        assert read(b"", uri).text == ""

from __future__ import annotations

from pathlib import Path

import pytest

from rag.ingest.file_loader import load_file, parse_file
from rag.ingest.readers import reader_for
from rag.ingest.records import FoundFile, ParsedDocument, SkippedFile, SkipReason
from tests.ingest.builders import docx_bytes, new_docx, pdf_bytes


def found(path: Path) -> FoundFile:
    return FoundFile(path=path, uri=path.name, size=0, modified_ns=0)


def test_the_bytes_are_the_files(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"x\r\n")
    assert load_file(found(path), max_file_bytes=3) == b"x\r\n"


@pytest.mark.parametrize(
    ("content", "reason"), [(b"", SkipReason.EMPTY), (b"xxxx", SkipReason.TOO_LARGE)]
)
def test_an_empty_or_grown_file_is_skipped(
    tmp_path: Path, content: bytes, reason: SkipReason
) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(content)
    loaded = load_file(found(path), max_file_bytes=3)
    assert isinstance(loaded, SkippedFile)
    assert loaded.reason is reason


def test_a_file_that_cannot_be_opened_is_skipped(tmp_path: Path) -> None:
    for path in (tmp_path / "gone.md", tmp_path):
        loaded = load_file(found(path), max_file_bytes=3)
        assert isinstance(loaded, SkippedFile)
        assert loaded.reason is SkipReason.UNREADABLE
        assert loaded.detail


@pytest.mark.parametrize(
    ("uri", "data", "reason"),
    [
        ("a.md", b"\x89PNG\0\0", SkipReason.BINARY),
        ("a.py", b"x = 1\0", SkipReason.BINARY),
        ("a.txt", b" \n\t\n", SkipReason.EMPTY),
        ("a.md", "\ufeff".encode(), SkipReason.EMPTY),
        ("a.txt", "текст".encode("cp1251"), SkipReason.UNREADABLE),
        ("a.html", b"<script>x</script>", SkipReason.EMPTY),
        ("a.pdf", pdf_bytes([[]]), SkipReason.EMPTY),
        ("a.pdf", b"%PDF-1.7 cut", SkipReason.UNREADABLE),
        ("a.docx", docx_bytes(new_docx()), SkipReason.EMPTY),
        ("a.docx", b"PK", SkipReason.UNREADABLE),
    ],
)
@pytest.mark.scenario("ingestion", "Files without usable text")
def test_every_file_without_usable_text_has_a_reason(
    uri: str, data: bytes, reason: SkipReason
) -> None:
    reader = reader_for(uri)
    assert reader is not None
    parsed = parse_file(data, reader, uri=uri)
    assert isinstance(parsed, SkippedFile)
    assert (parsed.uri, parsed.reason) == (uri, reason)
    assert parsed.detail


def test_utf_16_is_text_though_it_has_nul_bytes() -> None:
    reader = reader_for("a.txt")
    assert reader is not None
    parsed = parse_file("hello".encode("utf-16"), reader, uri="a.txt")
    assert isinstance(parsed, ParsedDocument)
    assert parsed.text == "hello"

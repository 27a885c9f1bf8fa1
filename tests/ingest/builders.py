"""Small documents in binary formats, and a counter whose numbers can be checked by hand."""

from __future__ import annotations

import io
from collections.abc import Sequence

import docx
from docx.document import Document

from rag.ingest.heading_chunker import HeadingChunker
from rag.ingest.readers import ReaderRegistry
from rag.ingest.records import Chunk


class CharacterCounter:
    """One token a character, so that a limit in tokens is a limit in characters."""

    name = "characters"

    def count(self, text: str, /) -> int:
        return len(text)

    def prefix(self, text: str, max_tokens: int, /) -> int:
        return max(0, min(len(text), max_tokens))


def chunks_of(
    content: str | bytes,
    uri: str = "page.md",
    *,
    target: int = 200,
    limit: int = 400,
) -> tuple[Chunk, ...]:
    """Read ``content`` as the file ``uri`` and chunk it, one token a character."""
    reader = ReaderRegistry().reader_for(uri)
    assert reader is not None
    data = content.encode() if isinstance(content, str) else content
    parsed = reader.read(data, uri=uri)
    return HeadingChunker(CharacterCounter(), target, limit).chunk(parsed, doc_id="d" * 32)


def docx_bytes(document: Document) -> bytes:
    packed = io.BytesIO()
    document.save(packed)
    return packed.getvalue()


def new_docx() -> Document:
    return docx.Document()


def pdf_bytes(pages: Sequence[Sequence[str]], *, title: str = "", trailer: str = "") -> bytes:
    """Return a PDF with one page per item, one line of Helvetica per string (no brackets)."""
    page_ids = [5 + 2 * index for index in range(len(pages))]
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids[{' '.join(f'{n} 0 R' for n in page_ids)}]/Count {len(pages)}>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        f"<</Title({title})>>",
    ]
    for page_id, lines in zip(page_ids, pages, strict=True):
        drawn = " ".join(f"({line}) Tj 0 -14 Td" for line in lines)
        content = f"BT /F1 12 Tf 20 280 Td {drawn} ET"
        objects.append(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]"
            f"/Resources<</Font<</F1 3 0 R>>>>/Contents {page_id + 1} 0 R>>"
        )
        objects.append(f"<</Length {len(content)}>>stream\n{content}\nendstream")
    body = "%PDF-1.4\n"
    offsets = []
    for number, written in enumerate(objects, start=1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n{written}\nendobj\n"
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    return (
        f"{body}xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
        f"trailer<</Size {len(objects) + 1}/Root 1 0 R/Info 4 0 R{trailer}>>\n"
        f"startxref\n{len(body)}\n%%EOF"
    ).encode("latin-1")

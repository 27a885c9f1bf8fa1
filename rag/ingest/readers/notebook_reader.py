"""Jupyter notebooks: prose cells as they are, code cells as fences, outputs left out."""

from __future__ import annotations

import json

from rag.errors import UnreadableFileError
from rag.ingest.readers.markdown_reader import MarkdownReader
from rag.ingest.records import Media, ParsedDocument
from rag.ingest.text_decoding import decode_text

MIN_FENCE = 3


class NotebookReader:
    """Reads a notebook as the Markdown that its cells make.

    Outputs are left out: they are pictures, tables of a moment and logs, and they repeat the
    code's words. Lines count the extracted Markdown, since a notebook's own lines are JSON.
    """

    media = Media.MARKDOWN
    version = "notebook-1"
    suffixes = frozenset({".ipynb"})

    def __init__(self) -> None:
        self._markdown = MarkdownReader()
        self.version = f"{type(self).version}+{self._markdown.version}"

    def read(self, data: bytes, *, uri: str) -> ParsedDocument:
        try:
            notebook = json.loads(decode_text(data, uri=uri))
            cells = notebook["cells"] if "cells" in notebook else notebook["worksheets"][0]["cells"]
            language = _language(notebook)
            parts = [_cell(cell, language) for cell in cells]
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
            raise UnreadableFileError(
                f"{uri} is not a Jupyter notebook",
                given=uri,
                allowed="a notebook in the nbformat JSON of version 3 or 4",
            ) from None
        text = "\n\n".join(part for part in parts if part)
        # JSON may spell lone surrogates, which no UTF-8 file can hold
        text = text.encode("utf-8", "replace").decode("utf-8")
        return self._markdown.parse(text + "\n" if text else "", uri=uri)


def _language(notebook: dict[str, dict[str, dict[str, str]]]) -> str:
    return str(notebook.get("metadata", {}).get("kernelspec", {}).get("language", ""))


def _cell(cell: dict[str, str | list[str]], language: str) -> str:
    source = cell.get("source", cell.get("input", ""))
    lines = source if isinstance(source, str) else "".join(source)
    lines = lines.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    if not lines.strip():
        return ""
    if cell["cell_type"] != "code":
        return lines
    fence = "`" * MIN_FENCE
    while fence in lines:
        fence += "`"
    return f"{fence}{language}\n{lines}\n{fence}"

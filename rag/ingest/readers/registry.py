"""Which reader takes which file; a reader is loaded when its first file comes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module

from rag.ingest.protocol import Reader
from rag.ingest.readers.suffixes import CODE_NAMES, CODE_SUFFIXES, TEXT_NAMES, TEXT_SUFFIXES

_MARKDOWN = "markdown_reader:MarkdownReader"
_TEXT = "plain_text_reader:PlainTextReader"
_CODE = "code_reader:CodeReader"

# module and class by suffix; named, not imported, because a PDF or DOCX library is slow to load
_BUILT_IN: dict[str, str] = {
    **dict.fromkeys((".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd"), _MARKDOWN),
    **dict.fromkeys(TEXT_SUFFIXES, _TEXT),
    **dict.fromkeys(CODE_SUFFIXES, _CODE),
    **dict.fromkeys((".rst", ".rest"), "rst_reader:RstReader"),
    **dict.fromkeys((".html", ".htm", ".xhtml"), "html_reader:HtmlReader"),
    ".ipynb": "notebook_reader:NotebookReader",
    ".pdf": "pdf_reader:PdfReader",
    ".docx": "docx_reader:DocxReader",
}
_BY_NAME: dict[str, str] = {
    **dict.fromkeys(TEXT_NAMES, _TEXT),
    **dict.fromkeys(CODE_NAMES, _CODE),
}


class ReaderRegistry:
    """Finds the reader of a file by its name.

    Args:
        readers: Readers of one's own; each takes its suffixes from the built-in ones.
    """

    def __init__(self, readers: Iterable[Reader] = ()) -> None:
        self._own: Mapping[str, Reader] = {
            suffix.lower(): reader for reader in readers for suffix in reader.suffixes
        }
        self._loaded: dict[str, Reader] = {}

    def reader_for(self, uri: str, /) -> Reader | None:
        """Return the reader of the file at ``uri``, or None where no reader takes it."""
        suffix = _suffix(uri)
        if suffix in self._own:
            return self._own[suffix]
        target = _built_in(uri, suffix)
        if target is None:
            return None
        reader = self._loaded.get(target)
        if reader is None:
            module, _, name = target.partition(":")
            reader = getattr(import_module(f"rag.ingest.readers.{module}"), name)()
            self._loaded[target] = reader
        return reader

    def supports(self, uri: str, /) -> bool:
        """Tell whether :meth:`reader_for` would find a reader, without loading it."""
        suffix = _suffix(uri)
        return suffix in self._own or _built_in(uri, suffix) is not None

    def supported_suffixes(self) -> frozenset[str]:
        """Return the lower-case suffixes, with their dot, that some reader takes."""
        return frozenset(self._own) | frozenset(_BUILT_IN)


_DEFAULT = ReaderRegistry()


def reader_for(uri: str) -> Reader | None:
    """Return the built-in reader of the file at ``uri``, or None."""
    return _DEFAULT.reader_for(uri)


def supported_suffixes() -> frozenset[str]:
    """Return the suffixes that a built-in reader takes."""
    return _DEFAULT.supported_suffixes()


def _suffix(uri: str) -> str:
    name = uri[uri.rfind("/") + 1 :]
    dot = name.rfind(".")
    return name[dot:].lower() if dot > 0 else ""


def _built_in(uri: str, suffix: str) -> str | None:
    if suffix in _BUILT_IN:
        return _BUILT_IN[suffix]
    return _BY_NAME.get(uri[uri.rfind("/") + 1 :].lower())

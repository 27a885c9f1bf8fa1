"""HTML: the text that a reader of the page sees, with its headings."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from selectolax.lexbor import LexborHTMLParser, LexborNode

from rag.errors import UnreadableFileError
from rag.ingest.front_matter import language_code
from rag.ingest.readers.text_builder import LINE, PARAGRAPH, TextBuilder
from rag.ingest.records import Media, ParsedDocument
from rag.ingest.text_decoding import decode_text

_DECLARED = re.compile(
    rb"<meta[^>]{0,200}?charset\s{0,9}=\s{0,9}[\"']?\s{0,9}([\w.:-]{1,40})", re.IGNORECASE
)
DECLARATION_BYTES = 1_024  # where the HTML standard has browsers look for it

_DROPPED = frozenset(
    {
        "script", "style", "noscript", "template", "head", "nav", "footer", "svg", "math", "iframe",
        "object", "canvas", "audio", "video", "form", "button", "select", "textarea", "dialog",
    }
)  # fmt: skip
_BLOCKS = frozenset(
    {
        "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details",
        "div", "dl", "dt", "fieldset", "figcaption", "figure", "header", "hgroup", "hr", "html",
        "legend", "li", "main", "ol", "p", "pre", "section", "summary", "table", "tbody", "tfoot",
        "thead", "ul",
    }
)  # fmt: skip
_PARAGRAPHS = frozenset(
    {"p", "blockquote", "table", "ul", "ol", "dl", "figure", "details", "hr", "pre"}
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_ATOMIC = frozenset({"pre", "table", "li"})
MAX_DEPTH = 512  # as deep as Blink builds a page; real ones stay below 100
_TAG = re.compile(r"<(/?)(?:([A-Za-z][A-Za-z0-9-]*)|!--)")
_RAW_TEXT = frozenset({"script", "style", "textarea", "title"})
# void, or ended by what follows without a closing tag
_UNNESTED = frozenset(
    {
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source",
        "track", "wbr", "p", "li", "dt", "dd", "option", "optgroup", "tr", "td", "th", "thead",
        "tbody", "tfoot", "colgroup", "rp", "rt", "html", "head", "body",
    }
)  # fmt: skip
_INVISIBLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


class HtmlReader:
    """Reads what is visible: no scripts, navigation, footers, forms or hidden elements.

    Hidden text is left out on purpose, for it is where a page hides words meant for machines.
    Where a page has one ``<main>``, only that is read. Blocks become lines, list items begin with
    ``- ``, table cells are parted by `` | ``, preformatted text keeps its lines. Lines count the
    extracted text.
    """

    media = Media.HTML
    version = "html-1"
    suffixes = frozenset({".html", ".htm", ".xhtml"})

    def read(self, data: bytes, *, uri: str) -> ParsedDocument:
        declared = _DECLARED.search(data[:DECLARATION_BYTES])
        source = decode_text(
            data, uri=uri, declared=declared[1].decode("ascii", "replace") if declared else None
        )
        _refuse_deep_nesting(source, uri)
        page = LexborHTMLParser(source)
        builder = TextBuilder()
        start = _start(page)
        if start is not None:
            _walk(start, builder)
        root = page.root
        return builder.document(
            title=_title(page) or builder.first_heading() or PurePosixPath(uri).stem,
            media=self.media,
            language=language_code(root.attributes.get("lang")) if root else None,
        )


def _start(page: LexborHTMLParser) -> LexborNode | None:
    mains = page.css("main")
    return mains[0] if len(mains) == 1 else page.body


def _title(page: LexborHTMLParser) -> str:
    node = page.css_first("head > title")
    return " ".join(node.text().split()) if node is not None else ""


def _walk(start: LexborNode, builder: TextBuilder) -> None:
    # A stack in place of recursion: pages nest deeper than Python calls may.
    stack: list[tuple[LexborNode, bool]] = [(start, False)]
    lists = 0
    preformatted = 0
    while stack:
        node, is_left = stack.pop()
        if node.is_text_node:
            content = node.text_content or ""
            if preformatted:
                builder.verbatim(content)
            else:
                builder.words(content)
            continue
        tag = node.tag or ""
        if not is_left:
            if not node.is_element_node or tag in _DROPPED or _is_hidden(node):
                continue
            _enter(node, tag, lists, builder)
            stack.append((node, True))
            stack.extend((child, False) for child in reversed(_children(node)))
        else:
            _leave(tag, lists, builder)
        step = -1 if is_left else 1
        lists += step * (tag == "li")
        preformatted += step * (tag == "pre")


def _enter(node: LexborNode, tag: str, lists: int, builder: TextBuilder) -> None:
    if tag in _HEADINGS:
        builder.open_heading()
    elif tag == "br":
        builder.end(LINE)
    elif tag == "img":
        builder.words(f" {node.attributes.get('alt') or ''} ")
    elif tag in {"td", "th"}:
        if node.prev is not None and _previous_cell(node):
            builder.verbatim(" | ")
    elif tag == "tr":
        builder.end(LINE)
    elif tag in _BLOCKS:
        builder.end(PARAGRAPH if tag in _PARAGRAPHS and not lists else LINE)
    if tag in _ATOMIC:
        builder.open_atomic()
    if tag == "li":
        builder.bullet(lists)


def _leave(tag: str, lists: int, builder: TextBuilder) -> None:
    if tag in _ATOMIC:
        builder.close_atomic()
    if tag in _HEADINGS:
        builder.close_heading(_HEADINGS[tag])
    elif tag in _BLOCKS:
        builder.end(PARAGRAPH if tag in _PARAGRAPHS and not lists else LINE)


def _children(node: LexborNode) -> list[LexborNode]:
    children = []
    child = node.first_child
    while child is not None:
        children.append(child)
        child = child.next
    return children


def _previous_cell(node: LexborNode) -> bool:
    previous = node.prev
    while previous is not None:
        if previous.tag in {"td", "th"}:
            return True
        previous = previous.prev
    return False


def _is_hidden(node: LexborNode) -> bool:
    attributes = node.attributes
    return (
        "hidden" in attributes
        or attributes.get("aria-hidden") == "true"
        or _INVISIBLE.search(attributes.get("style") or "") is not None
    )


def _refuse_deep_nesting(source: str, uri: str) -> None:
    """Refuse a page that would take the parser quadratic time; no real one comes near."""
    depth = 0
    at = 0
    while (tag := _TAG.search(source, at)) is not None:
        at = tag.end()
        name = (tag[2] or "").lower()
        if not name or name in _RAW_TEXT:
            close = "-->" if not name else f"</{name}"
            at = source.find(close, at) if not tag[1] else at
            if at < 0:
                return
        elif name not in _UNNESTED:
            depth = max(0, depth - 1) if tag[1] else depth + 1
            if depth > MAX_DEPTH:
                raise UnreadableFileError(
                    f"{uri} nests its elements more than {MAX_DEPTH} deep",
                    given=uri,
                    allowed=f"at most {MAX_DEPTH} open elements",
                )

"""Evidence an agent can trust: cited passages in retrieval order, with an honest verdict.

    import rag

    with rag.open("./.rag") as base:
        base.ingest("docs/")
        result = base.lookup("how do I rotate the keys?")

Importing this package loads no engine and no model; they load when a base is opened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rag.assembly import open_base as open  # noqa: A004  # reads as rag.open(...)
    from rag.base.knowledge_base import KnowledgeBase
    from rag.errors import RagError
    from rag.settings import Settings, load_settings

__version__ = "0.1.0"

__all__ = ["KnowledgeBase", "RagError", "Settings", "__version__", "load_settings", "open"]

_HOMES = {
    "open": ("rag.assembly", "open_base"),
    "RagError": ("rag.errors", "RagError"),
    "KnowledgeBase": ("rag.base.knowledge_base", "KnowledgeBase"),
    "Settings": ("rag.settings", "Settings"),
    "load_settings": ("rag.settings", "load_settings"),
}


def __getattr__(name: str) -> Any:
    # loaded at first use, so that `import rag` and `rag --help` stay cheap
    if name not in _HOMES:
        raise AttributeError(f"module 'rag' has no attribute {name!r}")
    from importlib import import_module

    module, attribute = _HOMES[name]
    return getattr(import_module(module), attribute)

"""A framework that is not installed, told so that one knows what to install."""

from __future__ import annotations

from rag.errors import MissingExtraError


def missing_extra(error: ModuleNotFoundError, *, extra: str) -> Exception:
    """Return the error for an adapter whose framework is missing; other faults as they are."""
    module = error.name or ""
    if module.partition(".")[0] == "rag":
        return error
    return MissingExtraError(
        f"this adapter needs the module {module}",
        given=module,
        allowed=f"an installation with the extra {extra}",
        hint=f"pip install 'rag-evidence[{extra}]'",
    )

"""Whether what evaluation needs is installed."""

from __future__ import annotations

from importlib.util import find_spec

from rag.errors import MissingExtraError

NEEDED = ("ir_measures", "scipy")


def require_evaluation() -> None:
    """Raise MissingExtraError where a library of the extra is missing."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise MissingExtraError(
            f"evaluation needs {' and '.join(missing)}",
            given=", ".join(missing),
            allowed="the extra eval",
            hint="pip install 'rag-evidence[eval]'",
        )

"""A package that comes with an extra: imported, or missed in a way that says what to install."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from rag.errors import EmbedderUnavailableError, MissingExtraError


def extra_package(name: str, /, *, extra: str) -> Any:
    """Import and return the package; Any, since not every one ships types.

    Raises:
        MissingExtraError: it is not installed.
        EmbedderUnavailableError: it is, and cannot be imported.
    """
    hint = f"pip install 'rag-evidence[{extra}]'"
    if importlib.util.find_spec(name) is None:
        raise MissingExtraError(
            f"this embedder needs the package {name.replace('_', '-')}",
            given=name,
            allowed=f"an installation with the extra {extra}",
            hint=hint,
        )
    try:
        return importlib.import_module(name)
    except (ImportError, OSError) as error:  # OSError: a shared library that is missing or foreign
        raise EmbedderUnavailableError(
            f"the package {name} is installed and cannot be imported: {error}",
            given=name,
            hint=f"install it again: {hint}",
        ) from None

"""Words, scripts, snippets and token counts: the one analyser that every store shares."""

from rag.text.scripts import Script
from rag.text.snippet import Snippet

__all__ = ["Script", "Snippet"]

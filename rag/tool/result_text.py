"""A result, and a fault, as text that a model reads; retrieved text stands fenced."""

from __future__ import annotations

from rag.errors import RagError
from rag.evidence.context_block import harmless
from rag.evidence.records import RagToolResult

NO_EVIDENCE = "No evidence."


def lookup_text(result: RagToolResult) -> str:
    """Return what a model is to read: the verdict and the advice, then the context block.

    Each passage stands in it once, fenced as data; the object that ``rag.wire.to_json`` makes of a
    result has every passage twice and the scores besides, which is for programs.
    """
    return "\n".join([*verdict_lines(result), "", result.context or NO_EVIDENCE])


def error_text(error: RagError) -> str:
    """Return what a model is to read of a fault that it can mend: an ``InvalidInputError``.

    It has what was wrong, what is allowed and what to do, with the code.
    """
    lines = [f"error: {error.message}"]
    if error.allowed and error.allowed not in error.message:
        lines.append(f"allowed: {error.allowed}")
    if error.hint:
        lines.append(f"hint: {error.hint}")
    return "\n".join([*lines, f"code: {error.code}"])


def verdict_lines(result: RagToolResult) -> list[str]:
    """Return the level, why, the advice and the qualities, a line each."""
    lines = [
        result.message,
        f"relevance_level: {result.relevance_level}; level_basis: {result.level_basis}; "
        f"reason: {result.reason}",
        f"should_retry: {str(result.retry.should_retry).lower()}; {result.retry.hint}",
    ]
    if result.evidence:
        qualities = " ".join(f"[{item.number}] {item.quality:.2f}" for item in result.evidence)
        lines.append(f"quality (ranking signal, not confidence): {qualities}")
    if result.retry.unmatched_words:
        lines.append(f"unmatched_words: {harmless(', '.join(result.retry.unmatched_words))}")
    if result.retry.attempts_left is not None:
        lines.append(f"attempts_left: {result.retry.attempts_left}")
    if result.truncated:
        lines.append("truncated: true")
    if result.next_cursor:
        lines.append(f"next_cursor: {result.next_cursor}")
    lines += [f"note: {warning}" for warning in result.warnings]
    return lines

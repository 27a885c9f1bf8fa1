"""What the packers give: numbered pieces, the block they make, and what was left out."""

from __future__ import annotations

from dataclasses import dataclass

from rag.evidence.records import Drop, Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedItem:
    """One numbered piece of the context block; ``text`` is verbatim, cut where ``truncated``.

    ``repeated`` pieces, in a batch only, stand in the block under the same number with another
    question: ``text`` is what stands there.
    """

    number: int
    evidence: Evidence
    text: str
    truncated: bool
    repeated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedEvidence:
    """What fits the budget.

    ``context`` is the rendered block, and ``counter.count(context) == tokens <= budget`` holds
    for the counter named. ``items`` are numbered 1, 2, … in rank order.
    """

    items: tuple[PackedItem, ...]
    context: str
    tokens: int
    budget: int
    counter: str
    dropped: tuple[Drop, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedPart:
    """One question's share of a packed batch; ``tokens`` is what its own pieces take."""

    items: tuple[PackedItem, ...]
    tokens: int
    dropped: tuple[Drop, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedBatch:
    """What fits the budget that several questions share, one part per question in their order.

    ``counter.count(context) == tokens <= budget`` holds for the counter named. Numbers run
    through all parts: 1, 2, … as the pieces stand in ``context``.
    """

    parts: tuple[PackedPart, ...]
    context: str
    tokens: int
    budget: int
    counter: str

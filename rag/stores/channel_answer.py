"""What one channel said to one query, and what follows where it failed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rag.errors import (
    DeadlineExceededError,
    RagError,
    RetrievalError,
    StoreDamagedError,
    StoreError,
    StoreTimeoutError,
)
from rag.ranking.fusion_policy import ChannelEntry
from rag.ranking.records import Channel, SearchHit
from rag.stores.records import ChannelReport, ChannelStatus, TermReport


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelAnswer:
    """A channel's hits, or the error that it raised instead."""

    hits: tuple[SearchHit, ...] = ()
    error: StoreError | None = None
    took_ms: float = 0.0
    terms: TermReport | None = None


def raise_if_nothing_answered(answers: Mapping[Channel, ChannelAnswer]) -> None:
    """Raise if all that were asked failed: the error of the only one, or one that names both."""
    errors = {channel: answer.error for channel, answer in answers.items() if answer.error}
    if not errors or len(errors) < len(answers):
        return
    if len(errors) == 1:
        raise next(iter(errors.values()))
    causes = {str(channel): error.to_wire() for channel, error in errors.items()}
    reasons = "; ".join(f"{channel}: {error.message}" for channel, error in errors.items())
    timed_out = all(isinstance(error, StoreTimeoutError) for error in errors.values())
    damaged = all(isinstance(error, StoreDamagedError) for error in errors.values())
    kind: type[RagError] = RetrievalError
    if timed_out or damaged:  # true of the whole store, so the same code as from one channel
        kind = DeadlineExceededError if timed_out else StoreDamagedError
    first = next(iter(errors.values()))
    alike = damaged and len({one.message for one in errors.values()}) == 1
    raise kind(
        first.message if alike else f"no channel answered ({reasons})",
        given=first.given if damaged else None,
        allowed=first.allowed if damaged else None,
        hint=next((one.hint for one in errors.values() if one.hint != one.usual_hint), None),
        details={"causes": causes},
    ) from ExceptionGroup("what each channel said", list(errors.values()))


def out_of_time(channel: Channel, timeout_s: float) -> ChannelAnswer:
    """Return the answer of a channel that was not heard in time."""
    error = StoreTimeoutError(
        f"the {channel} channel did not answer within {timeout_s:g} s", given=timeout_s
    )
    return ChannelAnswer(error=error, took_ms=timeout_s * 1_000)


def report_of(
    channel: Channel,
    status: ChannelStatus,
    answer: ChannelAnswer | None,
    ranking: tuple[ChannelEntry, ...],
) -> ChannelReport:
    """Return the report of a channel that was asked (``answer``) or not (``status`` says why)."""
    error = answer.error if answer else None
    if error is not None:
        timed_out = isinstance(error, StoreTimeoutError)
        status = ChannelStatus.TIMEOUT if timed_out else ChannelStatus.ERROR
    return ChannelReport(
        channel=channel,
        status=status,
        count=len(ranking),
        took_ms=answer.took_ms if answer else 0.0,
        detail=error.message if error else None,
        error_code=error.code if error else None,
        ranking=ranking,
        terms=answer.terms if answer else None,
    )

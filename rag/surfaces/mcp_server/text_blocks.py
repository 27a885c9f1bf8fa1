"""Results as text that a model reads; retrieved text stands fenced, or harmless on one line."""

from __future__ import annotations

from rag.evidence.batch_records import BatchAnswer, RagBatchResult
from rag.evidence.context_block import ContextBlock, harmless
from rag.evidence.records import GateReason
from rag.ingest.records import FileOutcome, IngestReport
from rag.retrieval.document_fetcher import FetchResult
from rag.surfaces.counted import counted
from rag.tool.result_text import NO_EVIDENCE
from rag.wire.base_reports import Capabilities, DoctorReport
from rag.wire.search_response import ResultHit, SearchResult

HOW_TO_READ = (
    "For each question: relevance_level (level_basis), the probability that the base answers it "
    "where one is calibrated, and quality by [number], a ranking signal, not confidence. reason is "
    "ok and should_retry false where nothing else is said."
)


def batch_text(result: RagBatchResult) -> str:
    """Return the verdict on each question in a line, then the one context block of all."""
    errors = {one.index: one.error for one in result.errors}
    lines = [HOW_TO_READ]
    for index, one in enumerate(result.results):
        if one is None:
            error = errors[index]
            lines += [f"Question {index + 1}: error: {error['message']} ({error['code']})"]
            continue
        lines += [f"Question {index + 1}: {harmless(one.query)}", _batch_verdict(one)]
    lines += [f"hint for {reason}: {hint}" for reason, hint in result.hints.items()]
    lines += [f"note: {warning}" for warning in result.warnings]
    return "\n".join([*lines, "", result.context or NO_EVIDENCE])


def _batch_verdict(one: BatchAnswer) -> str:
    retry, said = one.retry, [f"{one.relevance_level} ({one.level_basis})"]
    if one.answerability is not None:
        said.append(f"probability {one.answerability['probability']:.2f}")
    if one.evidence:
        said.append(" ".join(f"[{item.number}] {item.quality:.2f}" for item in one.evidence))
    if retry.attempts_left is not None:
        said.append(f"attempts_left: {retry.attempts_left}")
    if one.reason is not GateReason.OK or retry.should_retry:
        said.append(f"reason: {one.reason}; should_retry: {str(retry.should_retry).lower()}")
    if retry.hint is not None:
        said.append(f"hint: {retry.hint}")
    if retry.unmatched_words:
        said.append(f"unmatched_words: {harmless(', '.join(retry.unmatched_words))}")
    if one.degraded:
        said.append(f"failed: {', '.join(one.degraded)}")
    if one.next_cursor:
        said.append(f"next_cursor: {one.next_cursor}")
    return "; ".join(said)


def search_text(result: SearchResult) -> str:
    """Return a line per hit, its snippet below it."""
    lines = []
    for hit in result.hits:
        lines += _hit(hit)
    if not result.hits:
        lines.append("The index is empty." if result.index_empty else "No hits.")
    lines += [f"note: {warning}" for warning in result.warnings]
    if result.next_cursor:
        lines.append(f"more with cursor: {result.next_cursor}")
    return "\n".join(lines)


def fetch_text(result: FetchResult) -> str:
    """Return the text in a fence, with a line that cites it and one that says what is missing."""
    before, after = result.context_before, result.context_after
    text = "".join([*(one.text for one in before), result.text, *(one.text for one in after)])
    block = ContextBlock([text])
    unit, span = result.unit, f"{result.start} to {result.end}"
    head = f"{harmless(result.uri)}, {unit}s {span} — {harmless(result.title)}"
    if before or after:
        head += f", with {counted(len(before), 'chunk')} before and {len(after)} after"
    end = "" if text.endswith("\n") else "\n"
    lines = [head, block.notice, f"<{block.tag}>\n{text}{end}</{block.tag}>"]
    if result.truncated:
        lines.append(
            f"Cut after {unit} {result.end}; go on with kind span, start {result.end + 1}."
        )
    return "\n".join(lines)


def ingest_text(report: IngestReport) -> str:
    """Return what became of each file."""
    lines = []
    for file in report.files:
        said = f"{harmless(file.uri)}: {file.outcome}"
        if file.outcome in (FileOutcome.NEW, FileOutcome.UPDATED):
            said += f", {counted(file.chunks, 'chunk')}"
        why = ", ".join(filter(None, (file.reason and str(file.reason), file.detail)))
        lines.append(f"{said} ({harmless(why)})" if why else said)
    return "\n".join([*lines, f"source: {report.source}"])


def schema_text(it: Capabilities) -> str:
    """Return what the base holds and can do, a line each."""
    lines = []
    if it.store is not None:
        held = f"{counted(it.store.documents, 'document')}, {counted(it.store.chunks, 'chunk')}"
        lines.append(f"holds: {held} ({it.store.backend})")
    sources = ", ".join(source.name for source in it.sources) or "none yet"
    limits = ", ".join(f"{name} {value}" for name, value in it.limits.items())
    lines += [
        f"sources: {sources}",
        f"modes: {', '.join(it.modes)}; default {it.default_mode}",
        f"filters: {', '.join(it.filters)}",
        f"embedder: {it.embedder}",
        f"limits: {limits}",
        f"version: {it.rag_version}",
    ]
    return "\n".join(lines)


def doctor_text(report: DoctorReport) -> str:
    """Return each check, and what to do where it failed."""
    lines = ["healthy" if report.ok else "not healthy"]
    for check in report.checks:
        lines.append(f"{'ok' if check.ok else 'FAULT'}: {check.name}: {check.detail}")
        if check.hint and not check.ok:
            lines.append(f"  hint: {check.hint}")
    return "\n".join(lines)


def _hit(hit: ResultHit) -> list[str]:
    label = " > ".join(map(harmless, hit.heading_path or (hit.title,)))
    lines = [f"{hit.rank}. {harmless(hit.citation.ref)} — {label}"]
    lines.append(f"   quality {hit.quality:.2f} (rank signal); chunk_id {hit.chunk_id}")
    if hit.snippet is not None:
        lines.append(f"   “{harmless(hit.snippet.text)}”")
    return lines

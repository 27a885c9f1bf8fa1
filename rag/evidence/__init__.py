"""From rated hits to cited evidence within a token budget, and a verdict on it."""

from rag.evidence.attempt_ledger import AttemptLedger
from rag.evidence.batch_packer import pack_batch
from rag.evidence.batch_records import RagBatchResult
from rag.evidence.citation import cite
from rag.evidence.packer import EvidencePacker
from rag.evidence.post_processor import EvidencePostProcessor
from rag.evidence.projector import EvidenceProjector
from rag.evidence.rate_hits import rate_hits
from rag.evidence.records import RagToolResult
from rag.evidence.relevance_gate import RelevanceGate
from rag.evidence.staleness import is_stale

__all__ = [
    "AttemptLedger",
    "EvidencePacker",
    "EvidencePostProcessor",
    "EvidenceProjector",
    "RagBatchResult",
    "RagToolResult",
    "RelevanceGate",
    "cite",
    "is_stale",
    "pack_batch",
    "rate_hits",
]

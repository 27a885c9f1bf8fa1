"""The look-up tool for agents, its schema, and the same chain over hits that others found."""

from rag.requests.lookup_request import LookupRequest
from rag.requests.search_request import SearchRequest
from rag.tool.foreign.evidence_chain import EvidenceChain, JudgedHits
from rag.tool.foreign.foreign_hit import ForeignHit
from rag.tool.lookup_knowledge import LookupKnowledgeTool
from rag.tool.result_text import error_text, lookup_text
from rag.tool.tool_schema import tool_definition

__all__ = [
    "EvidenceChain",
    "ForeignHit",
    "JudgedHits",
    "LookupKnowledgeTool",
    "LookupRequest",
    "SearchRequest",
    "error_text",
    "lookup_text",
    "tool_definition",
]

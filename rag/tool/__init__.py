"""The look-up tool for agents, and its schema for tool calling."""

from rag.tool.lookup_knowledge import LookupKnowledgeTool
from rag.tool.lookup_request import LookupRequest
from rag.tool.search_request import SearchRequest
from rag.tool.tool_schema import tool_definition

__all__ = ["LookupKnowledgeTool", "LookupRequest", "SearchRequest", "tool_definition"]

"""The look-up tool for agents, and its schema for tool calling."""

from rag.tool.lookup_knowledge import LookupKnowledgeTool
from rag.tool.lookup_request import LookupRequest
from rag.tool.tool_schema import tool_definition

__all__ = ["LookupKnowledgeTool", "LookupRequest", "tool_definition"]

"""For pydantic-ai: the look-up tool."""

from rag.integrations.missing_extra import missing_extra

try:
    from rag.integrations.pydantic_ai.tool import lookup_tool
except ModuleNotFoundError as error:
    raise missing_extra(error, extra="pydantic-ai") from error

__all__ = ["lookup_tool"]

"""For LangChain: a retriever, the look-up tool, and the way for hits of other retrievers."""

from rag.integrations.missing_extra import missing_extra

try:
    from rag.integrations.langchain.documents import foreign_hits
    from rag.integrations.langchain.retriever import KnowledgeRetriever
    from rag.integrations.langchain.tool import lookup_tool
except ModuleNotFoundError as error:
    raise missing_extra(error, extra="langchain") from error

__all__ = ["KnowledgeRetriever", "foreign_hits", "lookup_tool"]

"""Ask a base as a LangChain retriever, and as a tool.

python examples/langchain_retriever.py FOLDER
"""

import sys
import tempfile

import rag
from rag.integrations.langchain import KnowledgeRetriever, lookup_tool

QUESTION = "How long are backups kept?"

with tempfile.TemporaryDirectory() as scratch, rag.open(f"{scratch}/base") as base:
    base.ingest(sys.argv[1])
    for document in KnowledgeRetriever(base=base, k=2).invoke(QUESTION):
        print(document.metadata["citation"], document.metadata["score_kind"])
    call = {"name": "lookup_knowledge", "args": {"query": QUESTION}, "id": "1", "type": "tool_call"}
    message = lookup_tool(base, session_id="example").invoke(call)
    print(message.artifact["relevance_level"], "-", message.content.splitlines()[0])

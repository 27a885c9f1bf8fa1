"""Ask a base as a LlamaIndex retriever.

python examples/llama_index_retriever.py FOLDER
"""

import sys
import tempfile

import rag
from rag.integrations.llama_index import KnowledgeRetriever

with tempfile.TemporaryDirectory() as scratch, rag.open(f"{scratch}/base") as base:
    base.ingest(sys.argv[1])
    for found in KnowledgeRetriever(base, k=2).retrieve("How long are backups kept?"):
        print(found.metadata["citation"], found.score, found.metadata["score_kind"])

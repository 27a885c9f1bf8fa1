"""Ask a base as a Haystack component, in a pipeline that is written down and read again.

python examples/haystack_retriever.py FOLDER
"""

import sys
import tempfile

from haystack import Pipeline

import rag
from rag.integrations.haystack import KnowledgeRetriever

with tempfile.TemporaryDirectory() as scratch:
    with rag.open(f"{scratch}/base") as base:
        base.ingest(sys.argv[1])
    pipeline = Pipeline()
    pipeline.add_component("knowledge", KnowledgeRetriever(f"{scratch}/base", k=2))
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["rag.integrations.haystack.*"])
    found = again.run({"knowledge": {"query": "How long are backups kept?"}})["knowledge"]
    print([document.meta["citation"] for document in found["documents"]], found["result"].message)
    again.close()

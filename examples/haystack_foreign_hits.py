"""Judge what Haystack's BM25 retriever found.

python examples/haystack_foreign_hits.py
"""

from haystack import Document, Pipeline
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.document_stores.in_memory import InMemoryDocumentStore

from rag.integrations.haystack import EvidenceJudge

TEXTS = {"ops/backups.md": "Backups are kept for 14 days.", "office.md": "Lunch is at noon."}
store = InMemoryDocumentStore()
store.write_documents([Document(content=TEXTS[one], meta={"file_path": one}) for one in TEXTS])
pipeline = Pipeline()
pipeline.add_component("bm25", InMemoryBM25Retriever(store))
pipeline.add_component("judge", EvidenceJudge("bm25", budget_tokens=300))
pipeline.connect("bm25.documents", "judge.documents")
question = {"query": "How long are backups kept?"}
print(pipeline.run({"bm25": question, "judge": question})["judge"]["result"].context)

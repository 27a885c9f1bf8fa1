"""Make evidence of what a LangChain vector store found.

python examples/langchain_foreign_hits.py
"""

from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore

from rag.integrations.langchain import foreign_hits
from rag.testing import HashingEmbedder
from rag.tool import EvidenceChain


class Hashed(Embeddings):
    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return [float(value) for value in HashingEmbedder().embed_query(text)]


TEXTS, PATHS = ["Backups are kept for 14 days.", "Lunch is at 12."], ("ops/backups.md", "office.md")
store = InMemoryVectorStore.from_texts(TEXTS, Hashed(), [{"source": path} for path in PATHS])
question = "How long are backups kept?"
found = foreign_hits(store.similarity_search_with_score(question))
print(EvidenceChain().lookup(question, found, score_kind="cosine").context)

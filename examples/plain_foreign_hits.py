"""Make evidence of the hits of your own retriever, whatever its scores are.

    python examples/plain_foreign_hits.py

The same three texts as a vector store, a BM25 index and a fusion of both would score them.
"""

from rag.tool import EvidenceChain, ForeignHit

TEXTS = ("Backups are kept for 14 days.", "Backups are encrypted.", "Lunch is at noon.")
SCORES = {"cosine": (0.71, 0.35, 0.02), "bm25": (8.4, 3.9, 0.0), "rrf": (0.0328, 0.0323, 0.0159)}

chain = EvidenceChain()
for kind, scores in SCORES.items():
    hits = [ForeignHit(text=one, score=score) for one, score in zip(TEXTS, scores, strict=True)]
    result = chain.lookup("How long are backups kept?", hits, score_kind=kind, budget_tokens=300)
    qualities = [round(item.quality, 2) for item in result.evidence]
    print(kind, qualities, result.relevance_level, result.level_basis, result.budget.used)

"""Make evidence of the hits of your own retriever, whatever its scores are.

    python examples/plain_foreign_hits.py

The same three texts as a vector store, a BM25 index and a fusion of both would score them.
"""

from rag.tool import EvidenceChain, ForeignHit

TEXTS = {
    "ops/backups.md": "Backups are kept for 14 days.",
    "ops/keys.md": "Backups are encrypted.",
    "office.md": "Lunch is at noon.",
}
SCORES = {"cosine": (0.71, 0.35, 0.02), "bm25": (8.4, 3.9, 0.0), "rrf": (0.0328, 0.0323, 0.0159)}

chain = EvidenceChain()
for kind, scores in SCORES.items():
    scored = zip(TEXTS.items(), scores, strict=True)
    hits = [ForeignHit(uri=uri, text=text, score=score) for (uri, text), score in scored]
    result = chain.lookup("How long are backups kept?", hits, score_kind=kind, budget_tokens=300)
    qualities = [round(item.quality, 2) for item in result.evidence]
    print(kind, qualities, result.relevance_level, result.level_basis)
print(result.context)

"""Give a pydantic-ai agent evidence of a search of your own.

python examples/pydantic_ai_foreign_hits.py
"""

from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel

from rag.tool import EvidenceChain, ForeignHit

FOUND = (
    ("ops/backups.md", "Backups are kept for 14 days.", 8.4),
    ("ops/keys.md", "Backups are encrypted.", 3.9),
)
agent = Agent(TestModel())


@agent.tool_plain
def search(query: str) -> str:
    hits = [ForeignHit(uri=uri, text=text, score=score) for uri, text, score in FOUND]
    return EvidenceChain().lookup(query, hits, score_kind="bm25", budget_tokens=300).context


print(agent.run_sync("How long are backups kept?").output)

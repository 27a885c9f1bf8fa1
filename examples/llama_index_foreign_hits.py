"""Judge the nodes of any LlamaIndex retriever.

python examples/llama_index_foreign_hits.py
"""

from llama_index.core.schema import NodeWithScore, TextNode

from rag.integrations.llama_index import EvidencePostprocessor

FOUND = {"Backups are kept for 14 days.": 0.71, "Backups are encrypted.": 0.35, "Lunch at 12.": 0.1}

nodes = [NodeWithScore(node=TextNode(text=text), score=score) for text, score in FOUND.items()]
judge = EvidencePostprocessor("cosine", min_quality=0.2)
for kept in judge.postprocess_nodes(nodes, query_str="How long are backups kept?"):
    print(kept.metadata["quality"], kept.text)
judged = judge.judge(nodes)
print(judged.decision.level, [str(drop.reason) for drop in judged.processed.dropped])

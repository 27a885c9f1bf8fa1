"""For Haystack: a retriever component, and one that judges any retriever's documents.

Haystack reports its use unless ``HAYSTACK_TELEMETRY_ENABLED`` says otherwise, and decides that
when it is imported. Where it is this import that loads it, and the variable is not set, it stays
silent.
"""

import os
import sys

from rag.integrations.missing_extra import missing_extra

if "haystack" not in sys.modules:
    os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "False")
try:
    from rag.integrations.haystack.documents import foreign_hits
    from rag.integrations.haystack.judge import EvidenceJudge
    from rag.integrations.haystack.retriever import KnowledgeRetriever
except ModuleNotFoundError as error:
    raise missing_extra(error, extra="haystack") from error

__all__ = ["EvidenceJudge", "KnowledgeRetriever", "foreign_hits"]

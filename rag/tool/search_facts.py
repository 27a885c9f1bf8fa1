"""What the gate is told of a search: the last place where a label is looked at."""

from __future__ import annotations

from rag.answerability import AnswerabilitySignal
from rag.evidence.records import Attempt, LevelBasis, SearchFacts
from rag.ranking.records import Channel, ScoreLabel, SearchMode
from rag.retrieval.records import SearchResponse
from rag.stores.filters import SearchFilter
from rag.stores.records import ChannelStatus


def search_facts(
    response: SearchResponse,
    filters: SearchFilter,
    attempt: Attempt | None = None,
    *,
    answerability: AnswerabilitySignal | None = None,
) -> SearchFacts:
    """Return what the gate needs to know of a search besides its evidence."""
    return SearchFacts(
        basis=_basis(response),
        index_empty=response.index_empty,
        filters=tuple(filters.canonical()),
        failed=tuple(map(str, response.degraded)),
        word_found=_word_found(response),
        attempt=attempt,
        answerability=answerability,
    )


def _basis(response: SearchResponse) -> LevelBasis:
    if response.hits:
        dense = all(hit.score_label is ScoreLabel.DENSE for hit in response.hits)
        return "similarity" if dense else "ordinal"
    return "similarity" if response.mode is SearchMode.VECTOR else "ordinal"


def _word_found(response: SearchResponse) -> bool:
    """Whether the lexical channel found a word, or could not be asked for one."""
    lexical = response.channels.get(Channel.LEXICAL)
    if lexical is None or response.fused_by == "server":  # a server tells no counts per channel
        return True
    if lexical.status is ChannelStatus.NO_TERMS:
        return False
    return lexical.status is not ChannelStatus.OK or lexical.count > 0

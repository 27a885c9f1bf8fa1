"""What the channels said to one question: all that the answerability signal is computed from."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, replace

from rag.ranking.fusion_policy import ChannelEntry
from rag.ranking.records import Channel
from rag.stores.records import ChannelReport, ChannelStatus, TermReport


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelLists:
    """The two rankings of a search; None where a channel did not answer or was not asked.

    ``terms`` says what the query's words weigh, None where the store does not tell. ``words``
    is the number of distinct analysed words of the query.
    """

    words: int
    lexical: tuple[ChannelEntry, ...] | None
    vector: tuple[ChannelEntry, ...] | None
    terms: TermReport | None

    def without(self, chunk_ids: Container[str]) -> ChannelLists:
        """Return the lists as they would be if those chunks were not indexed, ranks closed up.

        What the words weigh stays as it is: a few chunks move no frequency by much.
        """
        terms = self.terms
        if terms is not None and self.lexical is not None:
            kept = zip(self.lexical, terms.holds, strict=False)
            holds = tuple(bits for entry, bits in kept if entry.chunk_id not in chunk_ids)
            terms = replace(terms, holds=holds)
        return ChannelLists(
            words=self.words,
            lexical=_without(self.lexical, chunk_ids),
            vector=_without(self.vector, chunk_ids),
            terms=terms,
        )


def channel_lists(reports: Mapping[Channel, ChannelReport], words: int) -> ChannelLists:
    """Return the lists of a search from its channel reports.

    A query without any searchable word has an empty lexical list: nothing was found by words.
    """
    lexical, vector = reports.get(Channel.LEXICAL), reports.get(Channel.VECTOR)
    asked = lexical is not None and lexical.status in (ChannelStatus.OK, ChannelStatus.NO_TERMS)
    answered = vector is not None and vector.status is ChannelStatus.OK
    return ChannelLists(
        words=words,
        lexical=lexical.ranking if lexical is not None and asked else None,
        vector=vector.ranking if vector is not None and answered else None,
        terms=lexical.terms if lexical is not None and asked else None,
    )


def _without(
    ranking: tuple[ChannelEntry, ...] | None, chunk_ids: Container[str]
) -> tuple[ChannelEntry, ...] | None:
    if ranking is None:
        return None
    kept = (entry for entry in ranking if entry.chunk_id not in chunk_ids)
    return tuple(replace(entry, rank=rank) for rank, entry in enumerate(kept, 1))

"""Signs, ranges and order of what the engine returns."""

from __future__ import annotations

import pytest

from rag.errors import ConfigError, ScoreDirectionError
from rag.ranking import Channel, ReciprocalRankFusion, ScoreKind, ScoreLabel, SearchMode
from rag.settings import StoreSettings
from rag.stores.milvus.candidates import ranked
from rag.stores.milvus.connection import connect
from rag.stores.milvus.engine import Engine
from rag.stores.milvus.rows import row_id
from rag.stores.milvus.schema import ROW_ID
from rag.stores.milvus.score_probe import bm25_sign, check_cosines, probe_scores
from rag.stores.milvus.store import MilvusHybridKnowledgeStore
from rag.stores.records import ChannelStatus
from rag.testing.store_contract import ANALYZER, EMBEDDER
from rag.testing.store_contract_parts.corpus import document, search, texts
from tests.stores.milvus.conftest import open_at

ENGINE = Engine(name="Milvus", version="9.9.9", lite=False, exclusive=False)
NAN = float("nan")


def test_bm25_is_turned_whichever_sign_the_engine_gives():
    assert bm25_sign([("east", 0.47), ("north", 0.12)], ENGINE) == 1.0
    assert bm25_sign([("east", -0.47), ("north", -0.12)], ENGINE) == -1.0


@pytest.mark.parametrize(
    "found",
    [
        [],
        [("east", 0.47)],
        [("north", 0.47), ("east", 0.12)],
        [("east", 0.12), ("north", 0.47)],
        [("east", -0.12), ("north", -0.47)],
        [("east", 0.47), ("north", -0.12)],
        [("east", NAN), ("north", NAN)],
        [("east", 0.3), ("north", 0.3)],
    ],
)
def test_bm25_that_tells_no_better_from_worse_is_refused(found):
    with pytest.raises(ScoreDirectionError) as caught:
        bm25_sign(found, ENGINE)
    assert "Milvus 9.9.9" in caught.value.message
    assert caught.value.details == {"engine": "Milvus", "version": "9.9.9"}


@pytest.mark.scenario("knowledge-stores", "A wrong metric is refused at opening")
@pytest.mark.parametrize(
    "found",
    [
        [("east", 0.0), ("north", 1.0), ("west", 2.0)],  # a distance, smaller is nearer
        [("west", -1.0), ("north", 0.0), ("east", 1.0)],  # cosine, worst first
        [("east", 1.0), ("north", 0.5), ("west", 0.0)],  # cosine scaled to 0..1
        [("east", NAN), ("north", NAN), ("west", NAN)],
        [],
    ],
)
def test_scores_that_are_no_cosine_are_refused(found):
    with pytest.raises(ScoreDirectionError, match=r"Milvus 9\.9\.9"):
        check_cosines(found, ENGINE)


def test_true_cosines_pass_also_when_vectors_are_compressed():
    check_cosines([("east", 0.9997), ("north", 0.0004), ("west", -0.9998)], ENGINE)


def test_milvus_lite_negates_bm25_and_says_so_at_every_opening(lite_uri: str):
    open_at(lite_uri)("probed").close()
    held = connect(StoreSettings(uri=lite_uri))
    assert probe_scores(held, "probed_ledger", 10.0) == -1.0
    held.release()


def row(chunk_id: str, batch: str = "w1") -> dict[str, object]:
    return {ROW_ID: row_id(chunk_id, batch), "doc_id": "d", "generation": 1}


def test_candidates_are_ranked_by_score_then_chunk_id():
    scored = [(0.5, row("b")), (0.9, row("c")), (0.5, row("a")), (NAN, row("n")), (-1.0, row("m"))]
    hits = ranked(Channel.VECTOR, scored)
    assert [hit.chunk.chunk_id for hit in hits] == ["c", "a", "b", "m", "n"]
    assert [hit.rank for hit in hits] == [1, 2, 3, 4, 5]
    assert {hit.score_label for hit in hits} == {ScoreLabel.DENSE}


def test_of_several_rows_of_a_chunk_the_best_counts():
    hits = ranked(Channel.LEXICAL, [(1.0, row("a")), (3.0, row("a")), (2.0, row("b"))])
    assert [(hit.chunk.chunk_id, hit.score) for hit in hits] == [("a", 3.0), ("b", 2.0)]


def server_fused(uri: str, place: str, **weights: float) -> MilvusHybridKnowledgeStore:
    return MilvusHybridKnowledgeStore(
        StoreSettings(uri=uri, collection=place, fusion="server"),
        analyzer=ANALYZER,
        embedder=EMBEDDER.identity,
        fusion=ReciprocalRankFusion(weights={Channel(k): w for k, w in weights.items()}),
    )


@pytest.mark.scenario("knowledge-stores", "The server fuses")
def test_fusion_by_the_server_agrees_with_ours_and_says_what_is_absent(lite_uri: str):
    ours = open_at(lite_uri)("fused")
    lines = ["birch oak " + "maple " * n for n in range(1, 13)]  # no two score alike
    ours.write_documents([document("t.md", *lines, tags=("t",)), document("u.md", "elm birch")])
    theirs = server_fused(lite_uri, "fused")
    here, there = search(ours, "birch oak", k=13), search(theirs, "birch oak", k=13)
    assert (here.fused_by, there.fused_by) == ("client", "server")
    assert there.total == here.total
    right = {hit.chunk.chunk_id: hit.score for hit in here.hits}
    assert {hit.chunk.chunk_id: hit.score for hit in there.hits} == pytest.approx(right, abs=1e-6)
    for hit in there.hits:
        said = hit.retrieval
        assert (hit.score_label, hit.score_kind) == (ScoreLabel.HYBRID, ScoreKind.RRF)
        assert said.fusion_score == hit.score
        assert (said.lexical_score, said.vector_score) == (None, None)
        assert (said.lexical_rank, said.vector_rank) == (None, None)
    assert all(report.detail for report in there.channels.values())
    page = search(theirs, "birch oak", k=5, offset=5).hits
    assert page == there.hits[5:10]
    assert search(theirs, "birch", filters={"tags": "none"}).hits == ()
    ours.close()
    theirs.close()


def test_what_needs_no_fusion_is_searched_as_ever(lite_uri: str):
    store = server_fused(lite_uri, "fused_alone")
    store.write_documents([document("a.md", "poplar")])
    assert search(store, "poplar", SearchMode.LEXICAL).fused_by == "client"
    assert search(store, "?!", vector=EMBEDDER.embed_query("poplar")).fused_by == "client"
    uncovered = search(store, "poplar", vector=None, vector_status=ChannelStatus.NOT_COVERED)
    assert texts(uncovered) == ["poplar"]
    assert uncovered.hits[0].retrieval.lexical_rank == 1
    store.close()


def test_the_server_cannot_weigh_channels(lite_uri: str):
    with pytest.raises(ConfigError, match="weigh"):
        server_fused(lite_uri, "weighed", lexical=1.0, vector=0.5)

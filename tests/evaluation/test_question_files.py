"""Labelled questions are read, or refused with file, place and what is allowed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rag.errors import InvalidArgumentError
from rag.evaluation.beir_folder import read_beir_folder, sampled, write_corpus
from rag.evaluation.cross_questions import cross_questions
from rag.evaluation.golden_file import read_golden_file
from rag.evaluation.records import Construction
from tests.evaluation.observed import write_beir

TOPICS = {"tea": "green tea steeps for two minutes", "bread": "rye bread rises slowly at home"}


def golden(folder: Path, *records: object) -> Path:
    path = folder / "golden.jsonl"
    lines = [one if isinstance(one, str) else json.dumps(one) for one in records]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def test_a_golden_file_gives_questions_with_documents_lines_and_grades(tmp_path: Path):
    found = read_golden_file(
        golden(
            tmp_path,
            {"question": "how long?", "relevant": ["tea.md#L3-L9", "a.pdf"]},
            {"question": "which?", "relevant": {"b.md": 2}, "id": "x"},
            {"question": "why?", "answerable": False},
        )
    )
    first, second, third = found.questions
    assert (first.relevant, first.spans) == ({"tea.md": 1, "a.pdf": 1}, {"tea.md": (3, 9)})
    assert (second.question_id, second.relevant) == ("x", {"b.md": 2})
    assert third.construction is Construction.GIVEN
    assert found.name == "golden"


@pytest.mark.scenario("evaluation", "A mistyped key")
def test_a_mistyped_key_is_named_with_its_place(tmp_path: Path):
    path = golden(
        tmp_path,
        {"question": "a?", "relevant": ["a.md"]},
        {"question": "b?", "relevnt": ["b.md"]},
    )
    with pytest.raises(InvalidArgumentError) as refused:
        read_golden_file(path)
    assert "question 2" in refused.value.message
    assert "'relevnt'" in refused.value.message
    assert "relevant, answerable" in refused.value.message


@pytest.mark.scenario("evaluation", "An answerable question without documents")
def test_an_answerable_question_needs_documents(tmp_path: Path):
    with pytest.raises(InvalidArgumentError, match="needs relevant documents"):
        read_golden_file(golden(tmp_path, {"question": "a?"}))
    assert read_golden_file(golden(tmp_path, {"question": "a?", "answerable": False}))


@pytest.mark.parametrize(
    "line",
    [
        "no json", "[]", '"text"', "{}", {"question": "  ", "relevant": ["a"]},
        {"question": "a", "relevant": "a.md"}, {"question": "a", "relevant": [1]},
        {"question": "a", "relevant": {"a": 0}}, {"question": "a", "relevant": {"a": True}},
        {"question": "a", "answerable": "no"},
        {"question": "a", "relevant": ["a"], "answerable": False},
    ],
)  # fmt: skip
def test_a_line_that_is_no_question_is_refused(tmp_path: Path, line: object):
    with pytest.raises(InvalidArgumentError):
        read_golden_file(golden(tmp_path, line))


def test_missing_empty_and_doubled_are_refused(tmp_path: Path):
    with pytest.raises(InvalidArgumentError, match="no golden file"):
        read_golden_file(tmp_path / "none.jsonl")
    with pytest.raises(InvalidArgumentError, match="holds no question"):
        read_golden_file(golden(tmp_path))
    twice = {"question": "a", "answerable": False, "id": "x"}
    with pytest.raises(InvalidArgumentError, match="two questions with the id 'x'"):
        read_golden_file(golden(tmp_path, twice, twice))


def test_a_beir_folder_gives_questions_by_the_paths_that_its_corpus_is_written_to(tmp_path: Path):
    folder = write_beir(tmp_path / "shelf", TOPICS, unanswerable=("how do I fly?",))
    found = read_beir_folder(folder)
    assert found.name == "shelf"
    assert write_corpus(folder, tmp_path / "files") == 2
    (tea, bread) = found.of(Construction.ANSWERABLE)
    (path,) = bread.relevant
    assert "rye bread" in (tmp_path / "files" / path).read_text("utf-8")
    assert tea.text == "green tea steeps for two"
    assert [one.text for one in found.of(Construction.GIVEN)] == ["how do I fly?"]


def test_a_folder_that_is_no_collection_is_refused(tmp_path: Path):
    with pytest.raises(InvalidArgumentError, match="no collection in BEIR format"):
        read_beir_folder(tmp_path)
    folder = write_beir(tmp_path / "shelf", TOPICS)
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq\tx\n", "utf-8")
    with pytest.raises(InvalidArgumentError, match="line 2, is no judgement"):
        read_beir_folder(folder)
    (folder / "qrels" / "test.tsv").unlink()
    with pytest.raises(InvalidArgumentError, match="no query of"):
        read_beir_folder(folder)


def test_samples_are_the_same_every_time(tmp_path: Path):
    topics = {f"t{at}": f"word{at} stands alone here now" for at in range(30)}
    own = list(read_beir_folder(write_beir(tmp_path / "many", topics)).questions)
    assert sampled(own, 5) == sampled(own[::-1], 5)
    assert sampled(own, 50) == own


def test_cross_questions_come_from_other_collections_or_everyday_life(tmp_path: Path):
    other = write_beir(tmp_path / "other", TOPICS)
    own = read_beir_folder(other).questions
    (first, second) = cross_questions([other], own, most=10)
    assert {first.construction, second.construction} == {Construction.CROSS}
    assert not first.relevant
    everyday = cross_questions([], own, most=10)
    assert len(everyday) >= 20
    assert all(one.text.isascii() for one in everyday)

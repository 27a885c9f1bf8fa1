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
    assert len(cross_questions([], own, most=10)) == 10
    everyday = cross_questions([], own, most=500)
    assert len(everyday) >= 20
    assert all(one.text.isascii() for one in everyday)


LATIN = "caf\xe9".encode("latin-1")


@pytest.mark.scenario("evaluation", "A file that is not UTF-8")
def test_a_file_that_is_not_utf8_is_told_with_its_line_and_byte(tmp_path: Path):
    path = tmp_path / "golden.jsonl"
    path.write_bytes(b'{"question": "a", "answerable": false}\n{"question": "' + LATIN + b'"}\n')
    with pytest.raises(InvalidArgumentError, match="line 2, is not UTF-8: it has the byte 0xe9"):
        read_golden_file(path)
    for name in ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv"):
        folder = write_beir(tmp_path / name.replace("/", "-"), TOPICS)
        (folder / name).write_bytes((folder / name).read_bytes() + LATIN)
        with pytest.raises(InvalidArgumentError, match="is not UTF-8") as refused:
            read_beir_folder(folder)
        assert Path(name).name in refused.value.message


def test_a_byte_order_mark_is_no_part_of_a_file(tmp_path: Path):
    path = golden(tmp_path, {"question": "a", "answerable": False})
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert read_golden_file(path).questions[0].text == "a"


BEIR_FAULTS = {
    "corpus.jsonl": [
        '{"text": "no id"}', '{"_id": "1"}', '{"_id": "1", "text": null}',
        '{"_id": [], "text": ""}',
        "[1]", "7", "null", "{", "[" * 100_000,
    ],
    "queries.jsonl": ['{"text": "no id"}', '{"_id": "q"}', '"text"'],
    "qrels/test.tsv": ["q\t1", "query-id\tcorpus-id\nq\t1", "query-id\tcorpus-id\tscore\nq\t1\tx",
                       "query-id\tcorpus-id\tscore\nq\t1\t", "query-id\tcorpus-id\tscore\nq"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text"), [(name, text) for name, texts in BEIR_FAULTS.items() for text in texts]
)
def test_a_collection_at_fault_is_told_with_file_and_line(tmp_path: Path, name: str, text: str):
    folder = write_beir(tmp_path / "shelf", TOPICS)
    (folder / name).write_text(text + "\n", "utf-8")

    def read_whole() -> None:
        read_beir_folder(folder)
        write_corpus(folder, tmp_path / "files")  # texts are read only here

    with pytest.raises(InvalidArgumentError) as refused:
        read_whole()
    error = refused.value
    assert error.allowed
    assert error.hint
    assert Path(name).name in error.message or "no query of" in error.message


def test_a_corpus_that_cannot_be_written_is_told(tmp_path: Path):
    folder = write_beir(tmp_path / "shelf", TOPICS)
    with pytest.raises(InvalidArgumentError, match="cannot write"):
        write_corpus(folder, folder / "corpus.jsonl" / "below")


@pytest.mark.scenario("evaluation", "A golden file larger than asked for")
def test_a_golden_file_is_sampled_by_kind(tmp_path: Path):
    path = golden(
        tmp_path,
        *({"question": f"a{at}", "relevant": ["a.md"]} for at in range(8)),
        *({"question": f"g{at}", "answerable": False} for at in range(4)),
    )
    found = read_golden_file(path, most=3)
    assert len(found.of(Construction.ANSWERABLE)) == len(found.of(Construction.GIVEN)) == 3
    whole = list(read_golden_file(path).questions)
    assert [one for one in whole if one in found.questions] == list(found.questions)
    assert read_golden_file(path, most=3) == found
    assert len(whole) == 12 == len(read_golden_file(path, most=50).questions)

"""The labelled questions that the shipped answerability profile is fitted on, by collection."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rag.evaluation.beir_folder import read_beir_folder, sampled
from rag.evaluation.records import Construction, Question

MOST = 500  # questions of each construction and collection
HANGUL = re.compile("[\uac00-\ud7a3]")
HAN = re.compile("[\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerabilityCollection:
    """A collection in one language, and where its cross questions come from.

    ``label`` is ``folder`` or ``folder/language``; parts of one folder share its base.
    """

    label: str
    language: str
    cross: tuple[str, ...]
    qrels: str | None = None

    @property
    def folder(self) -> str:
        """The folder's name."""
        return self.label.partition("/")[0]


# XQuAD was made from SQuAD, so neither may be the other's cross collection.
COLLECTIONS = (
    AnswerabilityCollection(
        label="scifact", language="en",
        cross=("squad2-a", "aws-docs-a", "xquad-en-zh-a", "chroma-chunking"),
    ),
    AnswerabilityCollection(
        label="squad2-a", language="en", cross=("scifact", "aws-docs-a", "chroma-chunking")
    ),
    AnswerabilityCollection(
        label="aws-docs-a", language="en",
        cross=("scifact", "squad2-a", "xquad-en-zh-a", "chroma-chunking"),
    ),
    AnswerabilityCollection(
        label="xquad-en-zh-a/en", language="en", qrels="mono",
        cross=("scifact", "aws-docs-a", "chroma-chunking"),
    ),
    AnswerabilityCollection(
        label="xquad-en-zh-a/zh", language="zh", qrels="mono",
        cross=("cmrc2018-dev", "tidb-faq-zh-a"),
    ),
    AnswerabilityCollection(
        label="cmrc2018-dev", language="zh", cross=("xquad-en-zh-a", "tidb-faq-zh-a")
    ),
    AnswerabilityCollection(
        label="tidb-faq-zh-a", language="zh", cross=("xquad-en-zh-a", "cmrc2018-dev")
    ),
    # The one Korean collection with questions: the headings of a Korean manual stand in.
    AnswerabilityCollection(label="kobest-boolq", language="ko", cross=("docs-fastapi",)),
)  # fmt: skip


def questions_of(one: AnswerabilityCollection, datasets: Path) -> list[Question]:
    """Return a collection's own questions and its cross questions, seeded samples of each."""
    own = read_beir_folder(datasets / one.folder, qrels=one.qrels)
    answerable = [
        question
        for question in own.of(Construction.ANSWERABLE)
        if written_in(question.text, one.language)
    ]
    cross: list[Question] = []
    for name in one.cross:
        asked = foreign_questions(datasets / name, one.language)
        cross += sampled(asked, -(-MOST // len(one.cross)))
    return [
        *sampled(answerable, MOST),
        *cross,
        *sampled(list(own.of(Construction.GIVEN)), MOST),
    ]


def foreign_questions(folder: Path, language: str) -> list[Question]:
    """Return a folder's questions in a language, for a base that does not answer them."""
    if (folder / "queries.jsonl").is_file():
        asked: Sequence[Question] = read_beir_folder(folder).of(Construction.ANSWERABLE)
    else:
        asked = [
            Question(question_id=str(at), text=text, construction=Construction.CROSS)
            for at, text in enumerate(headings(folder))
        ]
    return [
        replace(
            one,
            question_id=f"{folder.name}:{one.question_id}",
            construction=Construction.CROSS,
            relevant={},
        )
        for one in asked
        if written_in(one.text, language)
    ]


def headings(folder: Path) -> list[str]:
    """Return the distinct Markdown headings below a folder, without their markup."""
    found: dict[str, None] = {}
    for path in sorted(folder.rglob("*.md")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if heading := re.match(r"#+ +(.+?)(?: *\{.*\})?$", line):
                found[re.sub("[`*]", "", heading[1]).strip()] = None
    return list(found)


def written_in(text: str, language: str) -> bool:
    """Whether a question is in Chinese, Korean or neither, by its characters."""
    script = "ko" if HANGUL.search(text) else "zh" if HAN.search(text) else "en"
    return script == language

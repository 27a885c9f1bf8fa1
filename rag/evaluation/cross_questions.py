"""Questions that a base does not answer: those of other collections, or everyday ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rag.evaluation.beir_folder import read_beir_folder, sampled
from rag.evaluation.golden_file import read_golden_file
from rag.evaluation.off_topic_questions import off_topic_questions
from rag.evaluation.records import Construction, Question
from rag.platform.at_path import at_path


def cross_questions(
    paths: Sequence[Path], own: Sequence[Question], *, most: int
) -> tuple[Question, ...]:
    """Return about ``most`` questions of golden files and BEIR folders, as many from each.

    Without a path they are at most as many everyday questions in the language of ``own``.
    """
    if not paths:
        return tuple(sampled(list(off_topic_questions(own)), most))
    found: list[Question] = []
    for path in paths:
        asked = read_beir_folder(path) if at_path(path).is_folder else read_golden_file(path)
        others = [
            replace(
                one,
                question_id=f"{asked.name}:{one.question_id}",
                construction=Construction.CROSS,
                relevant={},
                spans={},
            )
            for one in asked.of(Construction.ANSWERABLE)
        ]
        found += sampled(others, -(-most // len(paths)))
    return tuple(found)

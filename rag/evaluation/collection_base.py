"""A base over a BEIR collection, built in a folder for one evaluation."""

from __future__ import annotations

from pathlib import Path

from rag.assembly import open_base
from rag.base.knowledge_base import KnowledgeBase
from rag.errors import InvalidArgumentError
from rag.evaluation.beir_folder import write_corpus
from rag.evaluation.records import QuestionSet
from rag.ingest.protocol import IngestProgress
from rag.settings import Settings


def open_collection_base(
    questions: QuestionSet, folder: Path, settings: Settings, progress: IngestProgress | None = None
) -> KnowledgeBase:
    """Write the corpus of a collection below ``folder``, ingest it there, and return the base.

    A second call on the same folder finds everything unchanged and embeds nothing.
    ``settings`` hold but for the store, which is local.
    """
    if questions.corpus is None:
        raise InvalidArgumentError(
            f"{questions.name} has no corpus", given=questions.name, allowed="a BEIR folder"
        )
    files = folder / "files"
    write_corpus(questions.corpus, files)
    store = settings.store.model_copy(update={"uri": str(folder / "base")})
    base = open_base(settings.model_copy(update={"store": store, "readonly": False}))
    try:
        base.ingest(files, progress=progress)
    except BaseException:
        base.close()
        raise
    return base

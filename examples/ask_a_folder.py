"""Ingest a folder, ask a question, print the evidence an agent would get.

python examples/ask_a_folder.py FOLDER "QUESTION"
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import rag


def main(folder: str, question: str) -> None:
    with tempfile.TemporaryDirectory() as scratch, rag.open(Path(scratch) / "base") as base:
        report = base.ingest(folder)
        print(f"{report.new} documents, {report.chunks_written} chunks")
        result = base.lookup(question, budget_tokens=600)
        print(f"relevance {result.relevance_level} ({result.level_basis}): {result.message}")
        print(result.context)


if __name__ == "__main__":
    main(*sys.argv[1:])

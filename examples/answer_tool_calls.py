"""Answer the tool calls of a model with ``lookup_knowledge``, whoever the model's vendor is.

    python examples/answer_tool_calls.py FOLDER

The model is played by three calls; in your program they come from the vendor's API, together
with the schema that ``tool_definition`` gives. A fault in the arguments goes back to the model
as an ``error.v1`` object, so that it can mend its call.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import rag
from rag.tool import tool_definition
from rag.wire import to_json

CALLS = (
    '{"query": "How fast must a SEV1 incident be answered?", "budget_tokens": 300}',
    '{"query": "How many holidays do I have?", "k": 5, "filters": {"path_glob": "*.md"}}',
    '{"query": "How many holidays do I have?", "k": 0}',
)


def answer(base: rag.KnowledgeBase, arguments: str) -> str:
    """Return what goes back to the model for one call."""
    try:
        given = json.loads(arguments)
        return to_json(base.lookup(given.pop("query"), session_id="example", **given))
    except rag.RagError as error:
        return json.dumps(error.to_wire())


def main(folder: str) -> None:
    print("tool:", tool_definition("openai")["function"]["name"])
    with tempfile.TemporaryDirectory() as scratch, rag.open(Path(scratch) / "base") as base:
        base.ingest(folder)
        for call in CALLS:
            result = json.loads(answer(base, call))
            print(result.get("relevance_level") or result["code"], "-", result["message"])


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Let a model answer from a folder, by Anthropic's messages.

    ANTHROPIC_API_KEY=… python examples/anthropic_loop.py FOLDER "QUESTION" MODEL

ANTHROPIC_BASE_URL names another server. With Anthropic's library ``send`` is:

    lambda request: client.messages.create(**request).model_dump(exclude_none=True)
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import httpx2

import rag
from rag.errors import InvalidInputError
from rag.tool import error_text, lookup_text, tool_definition

URL = os.environ.get("ANTHROPIC_BASE_URL", "https://api.anthropic.com")
HEADERS = {
    "x-api-key": os.environ.get("ANTHROPIC_API_KEY", ""),
    "anthropic-version": "2023-06-01",
}
MOST_TOKENS = 2_000
MOST_TURNS = 8  # for a model that never stops asking

Json = dict[str, Any]


def tool_result(base: rag.KnowledgeBase, call: Json, session_id: str) -> Json:
    answers = {"type": "tool_result", "tool_use_id": call["id"]}
    try:
        return {
            **answers,
            "content": lookup_text(base.lookup(call["input"], session_id=session_id)),
        }
    except InvalidInputError as error:  # the model can mend it; every other error is yours
        return {**answers, "content": error_text(error), "is_error": True}


def answer(
    question: str, base: rag.KnowledgeBase, send: Callable[[Json], Json], *, model: str, chat: str
) -> str:
    messages: list[Json] = [{"role": "user", "content": question}]
    fixed = {"model": model, "max_tokens": MOST_TOKENS, "tools": [tool_definition("anthropic")]}
    for _ in range(MOST_TURNS):
        said = send({**fixed, "messages": messages})["content"]
        messages.append({"role": "assistant", "content": said})
        calls = [block for block in said if block["type"] == "tool_use"]
        if not calls:
            return "".join(block["text"] for block in said if block["type"] == "text")
        results = [tool_result(base, call, chat) for call in calls]
        messages.append({"role": "user", "content": results})
    return f"no answer in {MOST_TURNS} turns"


def send_to_server(request: Json) -> Json:
    reply = httpx2.post(f"{URL}/v1/messages", json=request, headers=HEADERS, timeout=120)
    found: Json = reply.raise_for_status().json()
    return found


def main(folder: str, question: str, model: str) -> None:
    with tempfile.TemporaryDirectory() as scratch, rag.open(f"{scratch}/base") as base:
        base.ingest(folder)
        print(answer(question, base, send_to_server, model=model, chat="example"))


if __name__ == "__main__":
    main(*sys.argv[1:])

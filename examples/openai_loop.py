"""Let a model answer from a folder, by any server that speaks OpenAI's chat completions.

    OPENAI_API_KEY=… python examples/openai_loop.py FOLDER "QUESTION" MODEL

OPENAI_BASE_URL names another server than OpenAI's own, such as one on your machine. With OpenAI's
library ``send`` is:

    lambda request: client.chat.completions.create(**request).model_dump(exclude_none=True)
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import httpx2

import rag
from rag.errors import InvalidInputError
from rag.tool import error_text, lookup_text, tool_definition

URL = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1")
HEADERS = {"Authorization": f"Bearer {os.environ.get('OPENAI_API_KEY', 'none')}"}
MOST_TURNS = 8  # for a model that never stops asking

Json = dict[str, Any]


def look_up(base: rag.KnowledgeBase, arguments: str, session_id: str) -> str:
    try:
        return lookup_text(base.lookup(json.loads(arguments), session_id=session_id))
    except json.JSONDecodeError as error:
        return f"error: the arguments are not JSON: {error}"
    except InvalidInputError as error:  # the model can mend it; every other error is yours
        return error_text(error)


def answer(
    question: str, base: rag.KnowledgeBase, send: Callable[[Json], Json], *, model: str, chat: str
) -> str:
    messages: list[Json] = [{"role": "user", "content": question}]
    tools = [tool_definition("openai")]
    for _ in range(MOST_TURNS):
        reply = send({"model": model, "messages": messages, "tools": tools})
        message = reply["choices"][0]["message"]
        messages.append(message)
        if not message.get("tool_calls"):
            return str(message["content"] or "")
        for call in message["tool_calls"]:
            text = look_up(base, call["function"]["arguments"], chat)
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": text})
    return f"no answer in {MOST_TURNS} turns"


def send_to_server(request: Json) -> Json:
    reply = httpx2.post(f"{URL}/chat/completions", json=request, headers=HEADERS, timeout=120)
    found: Json = reply.raise_for_status().json()
    return found


def main(folder: str, question: str, model: str) -> None:
    with tempfile.TemporaryDirectory() as scratch, rag.open(f"{scratch}/base") as base:
        base.ingest(folder)
        print(answer(question, base, send_to_server, model=model, chat="example"))


if __name__ == "__main__":
    main(*sys.argv[1:])

"""A vendor's server with a script for a model: real requests and replies, on this machine."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedModel:
    """Where it listens, and what it was sent: path, headers and body of each request."""

    url: str
    asked: list[tuple[str, dict[str, str], Json]] = field(default_factory=list)

    @property
    def requests(self) -> list[Json]:
        """The bodies of the requests in order."""
        return [body for _, _, body in self.asked]


@contextmanager
def scripted_model(replies: Sequence[Json]) -> Iterator[ScriptedModel]:
    """Serve the replies one after the other, whatever is asked."""
    script = iter(replies)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            heard.asked.append((self.path, {k.lower(): v for k, v in self.headers.items()}, body))
            reply = json.dumps(next(script)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, *_: object) -> None:
            """Say nothing on standard error."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        heard = ScriptedModel(url=f"http://127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield heard
        finally:
            server.shutdown()
            thread.join()


def completion(*calls: str, says: str | None = None) -> Json:
    """Return a reply of chat completions: a call for each text of arguments, or an answer."""
    message: Json = {"role": "assistant", "content": says, "refusal": None}
    if calls:
        message["tool_calls"] = [
            {
                "id": f"call_{number}",
                "type": "function",
                "function": {"name": "lookup_knowledge", "arguments": arguments},
            }
            for number, arguments in enumerate(calls, start=1)
        ]
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [
            {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
        ],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }


def messages_reply(*calls: Json, says: str) -> Json:
    """Return a reply of Anthropic's messages: a text, then a call for each of the arguments."""
    used = [
        {"type": "tool_use", "id": f"toolu_{number}", "name": "lookup_knowledge", "input": given}
        for number, given in enumerate(calls, start=1)
    ]
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": [{"type": "text", "text": says}, *used],
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }

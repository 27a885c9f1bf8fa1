"""The passages on which token counts are fitted and checked."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Iterator
from pathlib import Path

SEED = 20_260_801
CHUNK_CHARS = 1_000  # about the target size of a chunk
RANDOM_PASSAGES = 1_000
# Blocks of pictographs: weather to transport, supplemental, miscellaneous symbols and dingbats.
EMOJI_BLOCKS = ((0x1F300, 0x1F650), (0x1F680, 0x1F6D0), (0x1F900, 0x1F9FF), (0x2600, 0x27B0))


def chunks(text: str, size: int = CHUNK_CHARS) -> Iterator[str]:
    """Yield ``text`` in pieces of whole lines of about ``size`` characters; long lines are cut."""
    piece = ""
    for line in text.splitlines(keepends=True):
        if piece and len(piece) + len(line) > size:
            yield piece
            piece = ""
        piece += line
        while len(piece) > 2 * size:
            yield piece[:size]
            piece = piece[size:]
    if piece:
        yield piece


def _random_texts() -> dict[str, list[str]]:
    rng = random.Random(SEED)
    emoji = [chr(code) for block in EMOJI_BLOCKS for code in range(*block)]
    joiners = ["", "", " ", "\ufe0f", "\u200d"]

    def emoji_text() -> str:
        length = rng.randint(5, 200)
        return "".join(rng.choice(emoji) + rng.choice(joiners) for _ in range(length))

    count = range(RANDOM_PASSAGES)
    return {
        "base64": [base64.b64encode(rng.randbytes(rng.randint(20, 1_500))).decode() for _ in count],
        "hexadecimal": [rng.randbytes(rng.randint(20, 500)).hex() for _ in count],
        "emoji": [emoji_text() for _ in count],
    }


def load_passages(datasets: Path) -> dict[str, list[str]]:
    """Return non-empty passages by collection: whole documents, the same in chunks, random texts.

    ``datasets`` holds folders in BEIR format (``corpus.jsonl``) and ``docs-fastapi/files/<lang>``.
    """
    passages: dict[str, list[str]] = {}
    for corpus in sorted(datasets.glob("*/corpus.jsonl")):
        with corpus.open(encoding="utf-8") as lines:
            documents = [json.loads(line) for line in lines]
        passages[corpus.parent.name] = [
            f"{document.get('title') or ''}\n{document['text']}" for document in documents
        ]
    for folder in sorted((datasets / "docs-fastapi" / "files").glob("*/")):
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        passages[f"docs-fastapi-{folder.name}"] = [
            path.read_text(encoding="utf-8", errors="replace") for path in files
        ]
    for name in list(passages):
        passages[f"{name} in chunks"] = [chunk for text in passages[name] for chunk in chunks(text)]
    passages |= _random_texts()
    return {name: [text for text in texts if text.strip()] for name, texts in passages.items()}

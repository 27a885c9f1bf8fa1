"""Benchmark results as JSON, named by the commit that made them, with the machine's description."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
# What the figures depend on; a package that is not installed is left out.
LIBRARIES = (
    "rag-evidence", "pymilvus", "milvus-lite", "numpy", "onnxruntime", "tokenizers", "PyStemmer",
    "bpe-openai", "lancedb", "bm25s", "mcp", "ir-measures",
)  # fmt: skip


def _git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip() if done.returncode == 0 else ""


def _first_line_with(path: str, key: str) -> str | None:
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(key)), None)


def _versions() -> dict[str, str]:
    versions = {}
    for name in LIBRARIES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return versions


def machine() -> dict[str, Any]:
    """Describe this machine: processor, cores, memory, operating system, Python, libraries."""
    return {
        "cpu": _first_line_with("/proc/cpuinfo", "model name") or platform.processor(),
        "cores": os.cpu_count(),
        "memory": _first_line_with("/proc/meminfo", "MemTotal"),
        "system": platform.platform(),
        "python": platform.python_version(),
        "libraries": _versions(),
    }


def write_result(name: str, figures: dict[str, Any]) -> Path:
    """Write ``figures`` to ``results/<name>-<short commit>.json`` and return that path.

    Where ``rag`` or ``benchmarks`` hold uncommitted changes the result says ``"clean": false``.
    """
    commit = _git("rev-parse", "--short", "HEAD") or "uncommitted"
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", "../rag", ".")
    record = {
        "benchmark": name,
        "commit": commit,
        "clean": not changed,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "figures": figures,
    }
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}-{commit}.json"
    path.write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return path

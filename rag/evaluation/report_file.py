"""An evaluation as a file, written and read back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rag.errors import InvalidArgumentError
from rag.wire import to_json
from rag.wire.evaluation_records import EvalReport

FORMAT = "eval_report.v1"


def as_file(report: EvalReport) -> str:
    """Return the text of a report's file."""
    return to_json(report, indent=1) + "\n"


def read_report(path: Path) -> Mapping[str, Any]:
    """Return a report as the plain object that its file holds.

    Raises:
        InvalidArgumentError: the file cannot be read, or holds no report.
    """
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidArgumentError(
            f"{path} cannot be read as a report: {error}",
            given=str(path),
            allowed="a file that rag eval --out wrote",
        ) from None
    if not isinstance(record, dict) or record.get("schema_version") != FORMAT:
        raise InvalidArgumentError(
            f"{path} is no evaluation report", given=str(path), allowed=FORMAT
        )
    return record

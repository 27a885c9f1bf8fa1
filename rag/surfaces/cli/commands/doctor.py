"""``rag doctor``."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from rag.surfaces.cli.options import CommonOptions
from rag.surfaces.cli.terminal import print_json, shown

EXIT_UNHEALTHY = 3


def doctor_command(
    *,
    repair: Annotated[bool, Parameter(negative=())] = False,
    common: CommonOptions = CommonOptions(),  # noqa: B008  # frozen, so sharing it is safe
) -> int:
    """Check settings, store, embedder and index; say what to do for each fault.

    Exits with 3 where something is wrong.

    Examples:
      rag doctor
      rag doctor --repair
      rag doctor --json

    Parameters
    ----------
    repair
        Mend what is found: remove what an interrupted ingest left behind.
    """
    from rag.diagnosis import diagnose
    from rag.wire import to_wire

    report = diagnose(common.settings, common.open, repair=repair)
    if common.json:
        print_json(to_wire(report))
    else:
        for done in report.repaired:
            print(f"mended  {done}")  # noqa: T201  # the CLI's own voice
        for check in report.checks:
            print(f"{'ok' if check.ok else 'FAULT':6}  {check.name}: {shown(check.detail)}")  # noqa: T201  # the CLI's own voice
            if check.hint and not check.ok:
                print(f"        → {shown(check.hint)}")  # noqa: T201  # the CLI's own voice
    return 0 if report.ok else EXIT_UNHEALTHY

"""``rag doctor``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rag.surfaces.cli.options import CommonOptions
from rag.surfaces.cli.terminal import Page, print_record, shown
from rag.surfaces.counted import counted

if TYPE_CHECKING:
    from rag.wire.base_reports import DoctorReport

EXIT_UNHEALTHY = 3


def doctor_command(
    *,
    repair: bool = False,
    common: CommonOptions = CommonOptions(),  # noqa: B008  # frozen, so sharing it is safe
) -> int:
    """Check settings, disk, store, embedder and index; say what to do for each fault.

    Exits with 3 where something is wrong.

    For example:
      rag doctor
      rag doctor --repair
      rag doctor --json

    Parameters
    ----------
    repair
        Mend what can be mended first, such as what an interrupted ingest left behind.
    """
    from rag.maintenance.diagnosis import diagnose

    report = diagnose(common.settings, common.open, repair=repair)
    if common.json:
        print_record(report)
    else:
        _print(report)
    return 0 if report.ok else EXIT_UNHEALTHY


def _print(report: DoctorReport) -> None:
    from rich.text import Text

    page = Page()
    for done in report.repaired:
        page.line(f"mended  {shown(done)}")
    for check in report.checks:
        state = Text("ok    ", style="green") if check.ok else Text("FAULT ", style="bold red")
        page.line(state + Text(f"  {check.name}: {shown(check.detail)}"), hang=8)
        if check.hint and not check.ok:
            page.line(f"→ {shown(check.hint)}", indent=8, hang=2)
    if not report.ok:
        faults = sum(not check.ok for check in report.checks)
        page.line(f"{faults} of {counted(len(report.checks), 'check')} found a fault")

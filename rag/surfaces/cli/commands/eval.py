"""``rag eval``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from rag.errors import InvalidArgumentError
from rag.platform.at_path import at_path
from rag.surfaces.cli.options import CommonOptions
from rag.surfaces.cli.terminal import note, print_record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rag.wire.evaluation_records import EvalReport

COMPARE = "compare"
EXIT_REGRESSION = 1


def eval_command(
    questions: str,
    /,
    *reports: Path,
    cross: Annotated[tuple[Path, ...], Parameter(name=["--cross"])] = (),
    budget: str | None = None,
    most: int = 500,
    work: Path | None = None,
    out: Path | None = None,
    html: Path | None = None,
    tolerance: float = 0.005,
    common: CommonOptions = CommonOptions(),  # noqa: B008  # frozen, so sharing it is safe
) -> int:
    """Measure retrieval, verdicts and answerability on labelled questions.

    QUESTIONS is a golden file over your own base, or a folder in BEIR format, whose corpus then
    is ingested into a base of its own. "rag eval compare A.json B.json" says which differences
    between two reports are larger than chance, and exits with 1 on a regression.

    For example:
      rag eval golden.jsonl --html report.html --budget 500,1000,2000
      rag eval beir/scifact --cross beir/nfcorpus --out scifact.json
      rag eval compare before.json after.json --tolerance 0.01

    Parameters
    ----------
    questions
        Golden file (JSON lines) or BEIR folder; or the word compare.
    reports
        After compare: the two reports, earlier one first.
    cross
        Golden file or BEIR folder whose questions this base does not answer; repeat for several.
        Without it, everyday questions are asked.
    budget
        Token budgets, such as 500,1000,2000, for a curve of how many answers each keeps.
    most
        Most questions of each kind; a larger set is sampled, the same way every time.
    work
        Where to build a BEIR folder's base, and to find it again; default: a folder that goes.
    out
        Write the report here as JSON.
    html
        Write the report here as one page with plots.
    tolerance
        After compare: by how much a measure may fall without counting as a regression.
    """
    from rag.surfaces.cli.evaluation_extra import require_evaluation

    require_evaluation()
    if questions == COMPARE:
        return _compare(reports, tolerance, as_json=common.json)
    if reports:
        raise InvalidArgumentError(
            f"unexpected argument {str(reports[0])!r}",
            given=str(reports[0]),
            allowed="one golden file or BEIR folder; or: compare A.json B.json",
        )
    if most < 1:
        raise InvalidArgumentError("--most must be at least 1", given=most, allowed="1 or more")
    budgets = _budgets(budget)
    report = _evaluated(Path(questions), cross, budgets, most, work, common)
    _write(report, out, html)
    if common.json:
        print_record(report)
    else:
        from rag.surfaces.cli.eval_view import print_report

        print_report(report)
    return 0


def _evaluated(
    path: Path,
    cross: Sequence[Path],
    budgets: Sequence[int],
    most: int,
    work: Path | None,
    common: CommonOptions,
) -> EvalReport:
    from tempfile import TemporaryDirectory

    from rag.evaluation.beir_folder import is_beir_folder, read_beir_folder
    from rag.evaluation.collection_base import open_collection_base
    from rag.evaluation.cross_questions import cross_questions
    from rag.evaluation.evaluate import evaluate
    from rag.evaluation.golden_file import read_golden_file
    from rag.platform.logs import configure_logging
    from rag.surfaces.cli.eval_view import EvalProgress
    from rag.surfaces.cli.ingest_view import progress_for

    progress = EvalProgress(quiet=common.json)
    if at_path(path).is_folder or is_beir_folder(path):
        asked = read_beir_folder(path, most=most)
        others = cross_questions(cross, asked.questions, most=most)
        settings = common.settings()
        configure_logging(**settings.logs.model_dump())
        with TemporaryDirectory(prefix="rag-eval-") as scratch:
            folder = work or Path(scratch)
            with progress_for(quiet=common.json) as shown:
                base = open_collection_base(asked, folder, settings, shown)
            with base:
                return evaluate(base, asked, cross=others, budgets=budgets, progress=progress)
    asked = read_golden_file(path, most=most)
    others = cross_questions(cross, asked.questions, most=most)
    with common.open() as base:
        return evaluate(base, asked, cross=others, budgets=budgets, progress=progress)


def _budgets(given: str | None) -> tuple[int, ...]:
    if given is None:
        return ()
    try:
        budgets = tuple(int(part) for part in given.split(","))
    except ValueError:
        budgets = ()
    if not budgets or min(budgets) < 1 or max(budgets) > 1_000_000:
        raise InvalidArgumentError(
            f"--budget {given!r} is no list of token budgets",
            given=given,
            allowed="whole numbers from 1 to 1,000,000, separated by commas: 500,1000,2000",
        )
    return tuple(sorted(set(budgets)))


def _write(report: EvalReport, out: Path | None, html: Path | None) -> None:
    from rag.evaluation.html_report import html_report
    from rag.evaluation.report_file import as_file

    for path, text in ((out, as_file), (html, html_report)):
        if path is None:
            continue
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text(report), encoding="utf-8")
        except OSError as error:
            raise InvalidArgumentError(
                f"cannot write {path}: {error.strerror}", given=str(path), allowed="a writable path"
            ) from None
        note(f"written: {path}")


def _compare(reports: Sequence[Path], tolerance: float, *, as_json: bool) -> int:
    from rag.evaluation.compare_reports import compare_reports
    from rag.evaluation.report_file import read_report
    from rag.surfaces.cli.eval_view import print_comparison

    if len(reports) != 2:
        raise InvalidArgumentError(
            f"compare takes two reports; got {len(reports)}",
            given=", ".join(map(str, reports)),
            allowed="rag eval compare BEFORE.json AFTER.json",
        )
    if not 0 <= tolerance < 1:
        raise InvalidArgumentError(
            "--tolerance must be at least 0 and below 1", given=tolerance, allowed="0 to 1"
        )
    before, after = map(read_report, reports)
    comparison = compare_reports(before, after, tolerance=tolerance)
    if as_json:
        print_record(comparison)
    else:
        print_comparison(comparison)
    return EXIT_REGRESSION if comparison.regression else 0

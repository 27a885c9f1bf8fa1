"""``rag calibrate``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from rag.errors import InvalidArgumentError
from rag.platform.at_path import at_path
from rag.surfaces.cli.options import CommonOptions
from rag.surfaces.cli.terminal import note, print_record
from rag.surfaces.counted import counted


def calibrate_command(
    *,
    golden: Path | None = None,
    suggest: int | None = None,
    cross: Annotated[tuple[Path, ...], Parameter(name=["--cross"])] = (),
    out: Path | None = None,
    common: CommonOptions = CommonOptions(),  # noqa: B008  # frozen, so sharing it is safe
) -> int:
    """Fit an answerability profile and a fusion to your own base, from labelled questions.

    The profile is kept beside the index, holds for this index, analyser and embedder alone, and
    is not written where cross-validation shows no skill.

    For example:
      rag calibrate --suggest 60 --out golden.jsonl
      rag calibrate --golden golden.jsonl

    Parameters
    ----------
    golden
        Golden file with at least 60 labelled questions.
    suggest
        Draft this many questions from the headings in the base, for you to edit.
    cross
        Golden file or BEIR folder whose questions this base does not answer; repeat for several.
        Without it, everyday questions are asked.
    out
        Where to write the profile or the drafts; default: beside the index, or the screen.
    """
    from rag.surfaces.cli.evaluation_extra import require_evaluation

    require_evaluation()
    if (golden is None) is (suggest is None):
        raise InvalidArgumentError(
            "give either --golden FILE or --suggest N", allowed="one of --golden, --suggest"
        )
    if suggest is not None:
        return _suggest(suggest, out, common)
    assert golden is not None  # one of both is given
    return _calibrate(golden, cross, out, common)


def _suggest(count: int, out: Path | None, common: CommonOptions) -> int:
    from rag.evaluation.suggest_questions import suggest_questions

    with common.open() as base:
        lines = list(suggest_questions(base, count))
    if out is None:
        for line in lines:
            print(line)  # noqa: T201  # the CLI's own voice
    else:
        if at_path(out).exists:
            raise InvalidArgumentError(
                f"{out} exists already", given=str(out), allowed="a path with nothing there"
            )
        _write(out, "".join(f"{line}\n" for line in lines))
    if len(lines) < count:
        headings = counted(len(lines), "question")
        note(f"the base has headings for {headings} only; write the rest yourself")
    note(
        f"{counted(len(lines), 'draft')}: put each in the words that people ask in, and add "
        'questions that the base does not answer, with "answerable": false'
    )
    return 0


def _calibrate(
    golden: Path, cross: tuple[Path, ...], out: Path | None, common: CommonOptions
) -> int:
    from rag.assembly import own_profile_path
    from rag.evaluation.calibrate import calibrate, calibration_report
    from rag.evaluation.cross_questions import cross_questions
    from rag.evaluation.golden_file import read_golden_file
    from rag.surfaces.cli.eval_view import EvalProgress

    questions = read_golden_file(golden)
    others = cross_questions(cross, questions.questions, most=500)
    settings = common.settings()
    settings.require_writable("calibrate")
    target = out or own_profile_path(settings.store.uri)
    if target is None:
        raise InvalidArgumentError(
            "a base on a server has no folder for its profile",
            given=settings.store.uri,
            allowed="--out FILE",
            hint="then set answerability.profile to that file",
        )
    with common.open() as base:
        found = calibrate(base, questions, cross=others, progress=EvalProgress(quiet=common.json))
    _write(target, found.profile.to_json())
    if common.json:
        print_record(calibration_report(found, target))
    else:
        from rag.surfaces.cli.calibrate_view import print_calibration

        print_calibration(found, target)
    return 0


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidArgumentError(
            f"cannot write {path}: {error.strerror}", given=str(path), allowed="a writable path"
        ) from None
    note(f"written: {path}")

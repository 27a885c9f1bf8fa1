"""``rag quickstart``."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from shlex import quote

from rag.errors import InvalidArgumentError
from rag.platform.at_path import at_path
from rag.surfaces.cli.ingest_view import print_report, progress_for
from rag.surfaces.cli.options import QuickstartOptions
from rag.surfaces.cli.terminal import Page, print_record

DEFAULT_FOLDER = Path("rag-quickstart")
QUESTION = "How long are backups kept?"
SHOWN = 3  # pieces of evidence: enough to see what one looks like


def quickstart_command(
    folder: Path = DEFAULT_FOLDER,
    /,
    *,
    question: str = QUESTION,
    common: QuickstartOptions = QuickstartOptions(),  # noqa: B008  # frozen, so sharing it is safe
) -> int:
    """Build a small base in a new folder and look something up in it.

    Copies a sample handbook to FOLDER/handbook, ingests it into FOLDER/.rag, and asks one
    question. Run it again whenever you like: an unchanged handbook costs nothing.

    For example:
      rag quickstart
      rag quickstart demo --question "what does ERR_QUOTA_4012 mean?"

    Parameters
    ----------
    folder
        Where to put the handbook and the base.
    question
        What to look up.
    """
    from rag.requests.lookup_request import parse_request
    from rag.surfaces.cli.lookup_view import print_lookup
    from rag.wire.base_reports import QuickstartReport

    common = replace(common, store=common.store or str(folder / ".rag"))
    common.settings().require_writable("build a base")
    parse_request(question)
    handbook = _copied_handbook(folder)
    with common.open(writes="build a base", create=True) as base:
        with progress_for(quiet=common.json) as progress:
            report = base.ingest(handbook, progress=progress)
        result = base.lookup(question, k=SHOWN)
    store = str(common.store)
    if common.json:
        print_record(QuickstartReport(store_uri=store, ingest=report, lookup=result))
        return 0
    page = Page()
    print_report(report, every_file=False)
    page.line()
    page.whole(
        f"$ rag lookup {_quoted(question)} -k {SHOWN} --store {_quoted(store)}", style="bold"
    )
    page.line()
    print_lookup(result, {})  # one folder holds no path twice
    page.line()
    page.line("Next: rag ingest YOUR_FOLDER, then rag lookup YOUR_QUESTION.")
    page.whole(f"This base: rag search quota --store {_quoted(store)} --explain")
    return 0


def _quoted(text: str) -> str:
    """Return a text as one word of a shell, in double quotes where those serve."""
    plain = quote(text)
    return plain if plain == text or set(text) & set('"$`\\!') else f'"{text}"'


def _copied_handbook(folder: Path) -> Path:
    from rag.samples import handbook_path

    found = at_path(folder)
    if found.exists and not found.is_folder:
        raise InvalidArgumentError(
            f"{folder} is a file", given=str(folder), allowed="a folder, or a path with nothing"
        )
    handbook = folder / "handbook"
    try:
        shutil.copytree(
            handbook_path(), handbook, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__*__*")
        )
    except OSError as error:  # copytree's own error lists many in one
        raise InvalidArgumentError(
            f"cannot write to {handbook}: {error.strerror or error}",
            given=str(folder),
            allowed="a folder that can be written",
        ) from None
    return handbook

"""``rag quickstart``."""

from __future__ import annotations

import shutil
from pathlib import Path

from rag.errors import InvalidArgumentError
from rag.surfaces.cli.ingest_view import print_report, progress_for
from rag.surfaces.cli.options import CommonOptions
from rag.surfaces.cli.terminal import print_json

DEFAULT_FOLDER = Path("rag-quickstart")
QUESTION = "How long are backups kept?"
SHOWN = 3  # pieces of evidence: enough to see what one looks like


def quickstart_command(
    folder: Path = DEFAULT_FOLDER,
    /,
    *,
    question: str = QUESTION,
    common: CommonOptions = CommonOptions(),  # noqa: B008  # frozen, so sharing it is safe
) -> int:
    """Build a small base in a new folder and look something up in it.

    Copies a sample handbook to FOLDER/handbook, ingests it into FOLDER/kb.db, and asks one
    question. Run it again whenever you like: an unchanged handbook costs nothing.

    Examples:
      rag quickstart
      rag quickstart demo --question "what does ERR_QUOTA_4012 mean?"

    Parameters
    ----------
    folder
        Where to put the handbook and the base.
    question
        What to look up.
    """
    from dataclasses import replace

    from rag.samples import handbook_path
    from rag.surfaces.cli.lookup_view import print_lookup
    from rag.wire import to_wire

    if folder.exists() and not folder.is_dir():
        raise InvalidArgumentError(
            f"{folder} is a file", given=str(folder), allowed="a folder, or a path with nothing"
        )
    handbook = folder / "handbook"
    shutil.copytree(
        handbook_path(), handbook, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__*__*")
    )
    common = replace(common, store=common.store or str(folder / "kb.db"))
    with common.open(create=True) as base:
        with progress_for(quiet=common.json) as progress:
            report = base.ingest(handbook, progress=progress)
        result = base.lookup(question, k=SHOWN)
    if common.json:
        print_json({"ingest": to_wire(report), "lookup": to_wire(result)})
        return 0
    print_report(report, every_file=False)
    print(f'\n$ rag lookup "{question}" -k {SHOWN} --store {common.store}\n')  # noqa: T201  # the CLI's own voice
    print_lookup(result)
    print(  # noqa: T201  # the CLI's own voice
        f"\nNext: rag ingest YOUR_FOLDER, then rag lookup YOUR_QUESTION.\n"
        f"This base: rag search quota --store {common.store} --explain"
    )
    return 0

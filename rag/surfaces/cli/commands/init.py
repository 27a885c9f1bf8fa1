"""``rag init``."""

from __future__ import annotations

from pathlib import Path

from rag.errors import ConfirmationRequiredError, InvalidArgumentError
from rag.platform.at_path import at_path
from rag.surfaces.cli.options import PrintingOptions
from rag.surfaces.cli.terminal import Page, print_record


def init_command(
    *,
    force: bool = False,
    common: PrintingOptions = PrintingOptions(),  # noqa: B008  # frozen, so sharing it is safe
) -> int:
    """Write a rag.toml with every setting, its default and what it does.

    For example:
      rag init
      rag init --config team/rag.toml

    Parameters
    ----------
    force
        Replace a file that is there already.
    """
    from rag.settings import CONFIG_FILE
    from rag.settings.settings_file import settings_toml
    from rag.wire.base_reports import InitReport

    target = common.config or Path(CONFIG_FILE)
    if at_path(target).exists and not force:
        raise ConfirmationRequiredError(
            f"{target} is there already",
            given=str(target),
            allowed="a path where nothing is yet",
            hint="replace it with --force, or name another path with --config",
        )
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(settings_toml(), encoding="utf-8")
    except OSError as error:
        raise InvalidArgumentError(
            f"cannot write {target}: {error.strerror}",
            given=str(target),
            allowed="a path that can be written",
        ) from None
    if common.json:
        print_record(InitReport(path=str(target)))
    else:
        Page().whole(f"wrote {target}")
    return 0

"""``rag init``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from rag.errors import ConfirmationRequiredError
from rag.surfaces.cli.options import CommonOptions
from rag.surfaces.cli.terminal import print_json


def init_command(
    *,
    force: Annotated[bool, Parameter(negative=())] = False,
    common: CommonOptions = CommonOptions(),  # noqa: B008  # frozen, so sharing it is safe
) -> int:
    """Write a rag.toml with every setting, its default and what it does.

    Examples:
      rag init
      rag init --config team/rag.toml

    Parameters
    ----------
    force
        Replace a file that is there already.
    """
    from rag.settings import CONFIG_FILE
    from rag.settings_file import settings_toml

    target = common.config or Path(CONFIG_FILE)
    if target.exists() and not force:
        raise ConfirmationRequiredError(
            f"{target} is there already",
            given=str(target),
            allowed="a path where nothing is yet",
            hint="replace it with --force, or name another path with --config",
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(settings_toml(), encoding="utf-8")
    if common.json:
        print_json({"schema_version": "init_report.v1", "path": str(target)})
    else:
        print(f"wrote {target}")  # noqa: T201  # the CLI's own voice
    return 0

"""The settings file that ``rag init`` writes."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from rag.settings import load_settings
from rag.settings.settings_file import settings_toml


def test_as_written_it_changes_nothing(tmp_path: Path):
    path = tmp_path / "rag.toml"
    path.write_text(settings_toml(), "utf-8")
    assert load_settings(path).model_dump() == load_settings().model_dump()


def test_every_default_may_be_uncommented(tmp_path: Path):
    """What has no default is marked so; every other line is valid as it stands."""
    lines = [
        line.removeprefix("# ") if re.match(r"# [a-z_0-9]+ = ", line) else line
        for line in settings_toml().splitlines()
        if not line.endswith("# not set")
    ]
    path = tmp_path / "rag.toml"
    path.write_text("\n".join(lines), "utf-8")
    assert load_settings(path).model_dump() == load_settings().model_dump()


def test_every_setting_is_there_with_what_it_does():
    text = settings_toml()
    defaults = load_settings().model_dump(mode="json")
    for name, value in defaults.items():
        if isinstance(value, dict):
            assert f"[{name}]" in text
            for key in value:
                assert f"# {key} = " in text.split(f"[{name}]", 1)[1]
        else:
            assert f"# {name} = " in text
    assert tomllib.loads(text) == {
        name: {} for name, value in defaults.items() if isinstance(value, dict)
    }

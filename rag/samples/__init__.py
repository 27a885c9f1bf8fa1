"""A small handbook of an invented company, for the quickstart and for tests."""

from importlib.resources import files
from pathlib import Path


def handbook_path() -> Path:
    """Return the folder of the sample handbook; it is installed as plain files."""
    return Path(str(files(__name__) / "handbook"))

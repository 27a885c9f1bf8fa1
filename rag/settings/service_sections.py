"""Settings of the program around the base."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from rag.settings.section import Section


class LogSettings(Section):
    """What is logged, always to standard error."""

    level: Literal["debug", "info", "warning", "error"] = Field(
        default="warning", description="Least level that is printed."
    )
    format: Literal["console", "json"] = Field(
        default="console", description="For people or for machines."
    )

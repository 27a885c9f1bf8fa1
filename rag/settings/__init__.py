"""Every setting, with its default and what it does; ``rag.toml`` < environment < arguments.

Environment variables are ``RAG_`` plus the section and name, with two underscores between:
``RAG_STORE__URI``, ``RAG_SEARCH__K``.
"""

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
from rag.settings.server_section import ApiKeySettings, ServerSettings
from rag.settings.service_sections import LogSettings
from rag.settings.settings import CONFIG_FILE, Settings, load_settings

__all__ = [
    "CONFIG_FILE",
    "AnswerabilitySettings",
    "ApiKeySettings",
    "ChunkingSettings",
    "EmbeddingSettings",
    "EvidenceSettings",
    "GateSettings",
    "IngestSettings",
    "LogSettings",
    "SearchSettings",
    "ServerSettings",
    "Settings",
    "StoreSettings",
    "TextSettings",
    "load_settings",
]

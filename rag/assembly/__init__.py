"""The composition root: the only room that names concrete stores, models and counters."""

from rag.assembly.choose_embedder import build_embedder
from rag.assembly.choose_store import build_store, own_profile_path
from rag.assembly.opening import open_base
from rag.settings.server_address import is_server

__all__ = ["build_embedder", "build_store", "is_server", "open_base", "own_profile_path"]

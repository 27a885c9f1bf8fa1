"""Every object that leaves the program as JSON, and its published schema."""

from rag.wire.encoding import to_json, to_wire
from rag.wire.schemas import WIRE_TYPES, json_schema

__all__ = ["WIRE_TYPES", "json_schema", "to_json", "to_wire"]

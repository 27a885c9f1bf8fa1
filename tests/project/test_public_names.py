"""What users import is small and changes on purpose only; inner rooms are free to move."""

from __future__ import annotations

import importlib
import inspect

import pytest

MOST_NAMES = 30  # what a reader can take in at a glance

PUBLIC: dict[str, list[str]] = {
    "rag": ["KnowledgeBase", "RagError", "Settings", "__version__", "load_settings", "open"],
    "rag.integrations.haystack": ["EvidenceJudge", "KnowledgeRetriever", "foreign_hits"],
    "rag.integrations.langchain": ["KnowledgeRetriever", "foreign_hits", "lookup_tool"],
    "rag.integrations.llama_index": [
        "EvidencePostprocessor",
        "KnowledgeRetriever",
        "foreign_hits",
    ],
    "rag.integrations.pydantic_ai": ["lookup_tool"],
    "rag.testing": ["CannedRetriever", "HashingEmbedder"],
    "rag.tool": [
        "EvidenceChain",
        "ForeignHit",
        "JudgedHits",
        "LookupKnowledgeTool",
        "LookupRequest",
        "SearchRequest",
        "error_text",
        "lookup_text",
        "tool_definition",
    ],
    "rag.wire": ["WIRE_TYPES", "json_schema", "to_json", "to_wire"],
}


@pytest.mark.parametrize("room", PUBLIC)
def test_a_room_exports_what_is_written_here_and_nothing_else(room: str):
    """Adding or removing a public name is a change for users: write it in CHANGELOG.md too."""
    assert getattr(importlib.import_module(room), "__all__", []) == PUBLIC.get(room, [])


@pytest.mark.parametrize("room", PUBLIC)
def test_public_names_are_there_sorted_few_and_documented(room: str):
    module = importlib.import_module(room)
    names = PUBLIC[room]
    assert names == sorted(names, key=lambda name: (not name.isupper(), name))  # as ruff does
    assert len(names) <= MOST_NAMES
    for name in names:
        thing = getattr(module, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert inspect.getdoc(thing), f"{room}.{name} has no docstring"


def test_a_name_that_the_package_lacks_is_an_attribute_error():
    package = importlib.import_module("rag")
    with pytest.raises(AttributeError, match="nonsense"):
        package.nonsense  # noqa: B018 - the access itself is what is tested

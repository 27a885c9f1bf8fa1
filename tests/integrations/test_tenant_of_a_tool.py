"""A tool that is made for one tenant shows no other's documents, whatever the model asks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import rag
from rag.base.knowledge_base import KnowledgeBase
from rag.errors import InvalidFilterError
from rag.integrations.langchain import lookup_tool
from rag.integrations.tool_call import look_up


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    """One base of two tenants."""
    uri = str(tmp_path_factory.mktemp("shared") / "kb")
    settings = rag.load_settings(store={"uri": uri}, embedding={"embedder": "none"})
    with rag.open(settings) as base:
        for tenant in ("north", "south"):
            base.ingest_text(
                f"# Keys\n\nThe {tenant} gate opens with a brass key.\n",
                name=f"{tenant}.md",
                tenant=tenant,
            )
        yield base


def seen(base: KnowledgeBase, **arguments: Any) -> list[str]:
    result = look_up(base, {"query": "gate key", **arguments}, session_id=None, tenant="north")
    return [item.citation.uri for item in result.evidence]


@pytest.mark.scenario("framework-adapters", "A tool for one tenant")
@pytest.mark.parametrize("filters", [None, {}, {"tenant": "north"}, {"media": "markdown"}])
def test_only_the_tenants_own_documents_are_seen(
    shared: KnowledgeBase, filters: dict[str, str] | None
):
    assert seen(shared, filters=filters) == ["north.md"]


def test_filters_still_narrow_within_the_tenant(shared: KnowledgeBase):
    assert seen(shared, filters={"path_prefix": "south"}) == []


def test_a_filter_that_names_another_tenant_is_at_fault(shared: KnowledgeBase):
    with pytest.raises(InvalidFilterError, match="'north' alone"):
        seen(shared, filters={"tenant": "south"})


@pytest.mark.scenario("framework-adapters", "A tool for one tenant")
def test_the_model_is_told_and_can_mend_it(shared: KnowledgeBase):
    call = {"query": "gate key", "filters": {"tenant": "south"}}
    message = lookup_tool(shared, tenant="north").invoke(
        {"type": "tool_call", "id": "1", "name": "lookup_knowledge", "args": call}
    )
    assert message.status == "error"
    assert "code: invalid_filter" in message.content
    assert "south" not in message.content.replace("given: south", "")

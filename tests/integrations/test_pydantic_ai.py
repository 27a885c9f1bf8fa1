"""The pydantic-ai adapter against the real library and its own models for tests."""

from __future__ import annotations

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

from rag.base.knowledge_base import KnowledgeBase
from rag.errors import StoreError
from rag.integrations.pydantic_ai import lookup_tool
from rag.tool import tool_definition
from tests.integrations.questions import BACKUPS, BACKUPS_REF


def test_the_tool_shows_a_model_what_every_surface_shows(base: KnowledgeBase):
    model = TestModel()
    Agent(model, tools=[lookup_tool(base)]).run_sync(BACKUPS)
    assert model.last_model_request_parameters is not None
    (shown,) = model.last_model_request_parameters.function_tools
    expected = tool_definition("anthropic")
    assert shown.name == expected["name"]
    assert shown.description == expected["description"]
    assert shown.parameters_json_schema == expected["input_schema"]


@pytest.mark.scenario("framework-adapters", "A pydantic-ai agent mends its call")
def test_a_model_mends_arguments_at_fault_and_reads_the_evidence(base: KnowledgeBase):
    calls = iter(({"query": BACKUPS, "k": 0}, {"query": BACKUPS, "k": 2}))

    def play(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        arguments = next(calls, None)
        if arguments is None:
            return ModelResponse(parts=[TextPart("14 days [1]")])
        return ModelResponse(parts=[ToolCallPart("lookup_knowledge", arguments)])

    run = Agent(FunctionModel(play), tools=[lookup_tool(base)]).run_sync(BACKUPS)
    assert run.output == "14 days [1]"
    parts = [part for message in run.all_messages() for part in message.parts]
    said = [str(one.content) for one in parts if isinstance(one, ToolReturnPart | RetryPromptPart)]
    assert "'k' must be a whole number from 1 to 200; got 0" in said[0]
    returned = [one for one in parts if isinstance(one, ToolReturnPart)][-1]
    assert f"[1] {BACKUPS_REF}" in said[-1]
    assert returned.metadata["schema_version"] == "rag_tool_result.v1"
    assert len(returned.metadata["evidence"]) == 2


def test_a_base_that_fails_is_told_to_the_program(base: KnowledgeBase):
    agent = Agent(TestModel(), tools=[lookup_tool(base)])
    base.close()
    with pytest.raises(StoreError):
        agent.run_sync(BACKUPS)


def test_look_ups_of_one_conversation_are_counted(base: KnowledgeBase):
    agent = Agent(TestModel(), tools=[lookup_tool(base, session_id="chat-1")])
    agent.run_sync(BACKUPS)
    messages = agent.run_sync(BACKUPS).all_messages()
    parts = [part for message in messages for part in message.parts]
    returned = next(one for one in parts if isinstance(one, ToolReturnPart))
    assert returned.metadata["retry"]["attempts_left"] == 1

"""Give a base to a pydantic-ai agent; a model for tests plays the vendor's.

python examples/pydantic_ai_tool.py FOLDER
"""

import sys
import tempfile

from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel

import rag
from rag.integrations.pydantic_ai import lookup_tool

with tempfile.TemporaryDirectory() as scratch, rag.open(f"{scratch}/base") as base:
    base.ingest(sys.argv[1])
    agent = Agent(TestModel(), tools=[lookup_tool(base, session_id="example")])
    for message in agent.run_sync("How long are backups kept?").new_messages():
        print(*(type(part).__name__ for part in message.parts))

"""``rag schema``."""

from __future__ import annotations

from typing import Literal

from rag.surfaces.cli.options import CommonOptions
from rag.surfaces.cli.terminal import print_json, print_record


def schema_command(
    name: str | None = None,
    /,
    *,
    tool: Literal["openai", "anthropic"] | None = None,
    common: CommonOptions = CommonOptions(),  # noqa: B008  # frozen, so sharing it is safe
) -> int:
    """Show what this base can do; or the JSON schema of an object; or the tool definition.

    For example:
      rag schema
      rag schema rag_tool_result.v1
      rag schema --tool openai

    Parameters
    ----------
    name
        A published object, such as rag_tool_result.v1; left out: this base.
    tool
        Print the lookup_knowledge tool definition for this vendor's API.
    """
    from rag.surfaces.cli.schema_view import print_capabilities
    from rag.tool.tool_schema import tool_definition
    from rag.wire import json_schema

    if tool is not None:
        print_json(tool_definition(tool))
    elif name is not None:
        print_json(json_schema(name))
    else:
        with common.open() as base:
            capabilities = base.describe()
        if common.json:
            print_record(capabilities)
        else:
            print_capabilities(capabilities)
    return 0

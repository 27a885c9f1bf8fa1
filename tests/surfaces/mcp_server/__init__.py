"""Tests of the MCP server, most of them over a real child process or a real socket."""

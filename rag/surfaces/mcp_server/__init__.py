"""The chain as tools of the Model Context Protocol, over stdio and streamable HTTP."""

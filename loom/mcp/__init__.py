"""`loom mcp`: the pages of a workspace for coding agents, by the Model Context Protocol.

`served_sessions` finds the workspace, `answers` and `page_resources` read it (and write notes and
plan), `server` speaks the protocol with the MCP SDK, the extra `mcp`. No other module of Loom
imports the SDK or the server."""

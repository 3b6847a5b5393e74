"""`loom mcp`: the pages of a workspace for coding agents, by the Model Context Protocol.

`sessions` finds the workspace, `answers` and `pages` read it (and write notes and plan), `server`
speaks the protocol with the MCP SDK, the extra `mcp`; nothing else of Loom imports either.
"""

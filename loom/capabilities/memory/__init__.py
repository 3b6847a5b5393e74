"""Memory: AGENTS.md files, notes, and what outlives the session."""

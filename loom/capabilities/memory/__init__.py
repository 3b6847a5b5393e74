"""Memory: AGENTS.md files, notes, and what outlives the session."""

from loom.capabilities.memory.capability import Memory

__all__ = ["Memory"]

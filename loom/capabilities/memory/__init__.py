"""Memory: AGENTS.md files, notes, and what outlives the session."""

from loom.capabilities.memory.capability import Memory
from loom.capabilities.memory.kept_memories import NoLongTerm

__all__ = ["Memory", "NoLongTerm"]

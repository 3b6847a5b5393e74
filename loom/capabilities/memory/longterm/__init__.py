"""Memory that outlives sessions: `LongTerm`, and a store for each engine.

    open_longterm → LongTerm (the rules) → Sqlite or Rocks (the rows and their words)

A memory is said once, superseded rather than changed, and forgotten only when that is asked for.
Nothing here knows of windows, journals or pages; where a memory came from is a text in `source`.
"""

from loom.capabilities.memory.longterm.memories import ENGINES, LongTerm, open_longterm
from loom.capabilities.memory.longterm.memory_item import Draft, MemoryItem, Scored

__all__ = [
    "ENGINES",
    "Draft",
    "LongTerm",
    "MemoryItem",
    "Scored",
    "open_longterm",
]

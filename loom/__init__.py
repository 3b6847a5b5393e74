"""Loom: virtual memory for an agent's context window.

`loom.open(path, …)` returns a `Context`; everything else here is what it takes, gives and raises.
"""

from loom import _alone as _alone  # tells of another loom in this folder
from loom.capabilities.agents.result import AgentResult
from loom.capabilities.events import Heartbeat
from loom.capabilities.memory import Memory
from loom.capabilities.skills import Skills
from loom.capabilities.summarizer import Summarizer
from loom.capabilities.toolbox import Toolbox, ToolDescriptor
from loom.capability import Answer, Capability, OwnTool, own_tool
from loom.context import Context
from loom.engine.pressure import Pressure
from loom.engine.turn import Turn
from loom.errors import (
    AnsweredCall,
    BadResult,
    BrokenLaw,
    Closed,
    LoomError,
    NewerWorkspace,
    OpenCalls,
    OverCapacity,
    Reentered,
    UnknownCall,
    UnknownFormat,
    UnreadableCommit,
    Vetoed,
)
from loom.inputs import Reasoning, Reply, Result, Session, Speech, ToolCall, User
from loom.opening import open
from loom.policy import PRESETS, Policy
from loom.providers.formats import UnknownReply
from loom.providers.formats.stream import BrokenStream, StreamFailed
from loom.providers.plugins import BadPlugin
from loom.providers.schema import BadTool, ToolSchema
from loom.reduce.summarize import summarize
from loom.replay.importers import BadSession
from loom_paging import (
    BadLookup,
    CorruptJournal,
    CorruptPage,
    Forked,
    MissingPage,
    OutsideStore,
    PagingError,
    StoreLocked,
    StoreReplaced,
)
from loom_partitions.limits import Budget

__version__ = "0.1.0"

__all__ = [
    "PRESETS",
    "AgentResult",
    "Answer",
    "AnsweredCall",
    "BadLookup",
    "BadPlugin",
    "BadResult",
    "BadSession",
    "BadTool",
    "BrokenLaw",
    "BrokenStream",
    "Budget",
    "BudgetSpent",
    "Capability",
    "Closed",
    "Context",
    "CorruptJournal",
    "CorruptPage",
    "Forked",
    "Heartbeat",
    "LoomError",
    "Memory",
    "MissingPage",
    "NewerWorkspace",
    "OpenCalls",
    "OutsideStore",
    "OverCapacity",
    "OwnTool",
    "PagingError",
    "Policy",
    "Pressure",
    "Reasoning",
    "Reentered",
    "Reply",
    "Result",
    "Session",
    "Skills",
    "Speech",
    "StoreLocked",
    "StoreReplaced",
    "StreamFailed",
    "Summarizer",
    "ToolCall",
    "ToolDescriptor",
    "ToolSchema",
    "Toolbox",
    "Turn",
    "UnknownCall",
    "UnknownFormat",
    "UnknownReply",
    "UnreadableCommit",
    "User",
    "Vetoed",
    "open",
    "own_tool",
    "summarize",
]


def __getattr__(name: str) -> object:
    """`loom.aio` is imported when it is first used: asyncio is not for everyone."""
    if name == "aio":
        from importlib import import_module

        return import_module("loom.aio")
    raise AttributeError(f"module 'loom' has no attribute {name!r}")

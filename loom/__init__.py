"""Loom: virtual memory for an agent's context window.

`loom.open(path, …)` returns a `Context`; everything else here is what it takes, gives and raises.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from loom import _alone as _alone  # tells of another loom in this folder
from loom._names import MODULES
from loom.version import __version__ as __version__

if TYPE_CHECKING:
    from loom import aio as aio
    from loom import fleet as fleet
    from loom.adapters.errors import UnsupportedRun
    from loom.aio.threads import NotOpen
    from loom.capabilities.agents.budget import BadBudget, TooDeep
    from loom.capabilities.agents.event import BadEvent
    from loom.capabilities.agents.family import NotDelivered, Overdue
    from loom.capabilities.agents.place import BadName
    from loom.capabilities.agents.result import AgentResult, AlreadyDelivered
    from loom.capabilities.events import Heartbeat
    from loom.capabilities.events.signal import BadSignal
    from loom.capabilities.memory import Memory
    from loom.capabilities.memory.kept_memories import NoLongTerm
    from loom.capabilities.memory.longterm.errors import (
        BadMemory,
        BusyStore,
        ClosedStore,
        CorruptStore,
        FailedStore,
        LongTermError,
        NewerStore,
        ReadOnlyStore,
    )
    from loom.capabilities.memory.notes import BadNote
    from loom.capabilities.refused import RefusedFiles
    from loom.capabilities.skills import Skills
    from loom.capabilities.skills.skill import BadResource, LostSkill
    from loom.capabilities.summarizer import Summarizer
    from loom.capabilities.toolbox import Toolbox, ToolDescriptor
    from loom.capabilities.toolbox.errors import DuplicateTool, ToolRefused, UnknownTool
    from loom.capability import Answer, Capability, Executed, OwnTool, arguments_of, own_tool
    from loom.compress.ladder import Level
    from loom.compress.scene import Scene
    from loom.engine.archive.indexing import NoIndex
    from loom.engine.archive.past import UnknownTurn
    from loom.engine.archive.restore import UnknownEntry
    from loom.engine.collect import CollectedPages, GonePage, KeptPages
    from loom.engine.exposed import ExposedWorkspace
    from loom.engine.locking import HeldByHook
    from loom.engine.opening import NotRecorded, PolicyIgnored
    from loom.engine.pressure import Above, Pressure
    from loom.engine.snapshots.checked import SnapshotWarning
    from loom.engine.snapshots.document import BadSnapshot
    from loom.engine.turn import Turn
    from loom.engine.undo import UndoneCall
    from loom.errors import (
        AnsweredCall,
        BadRecord,
        BadResult,
        BrokenLaw,
        BudgetSpent,
        Closed,
        LoomError,
        NewerWorkspace,
        NoRunner,
        OpenCalls,
        OverCapacity,
        OverPart,
        Reentered,
        UndeclaredTool,
        UnknownCall,
        UnknownFormat,
        UnreadableCommit,
        Vetoed,
    )
    from loom.fleet.errors import WorkerDied
    from loom.inputs import Reasoning, Reply, Result, Session, Speech, ToolCall, User
    from loom.live import Context
    from loom.opening import open
    from loom.policy import PRESETS, Layout, Policy, Tuning
    from loom.providers.counts import Counter
    from loom.providers.formats import UnknownReply
    from loom.providers.formats.listing import BadMessage
    from loom.providers.formats.stream import BrokenStream, StreamFailed
    from loom.providers.plugins import BadPlugin
    from loom.providers.reasoning import Separator, separate
    from loom.providers.render.dashboard import Dashboard
    from loom.providers.schema import BadTool, ToolSchema
    from loom.redact import SECRETS, Allowed, SecretRule
    from loom.reduce import Observation, Rule, ToolResult
    from loom.reduce.summarize import summarize
    from loom.reduce.summary.running import Late
    from loom.replay.importers import BadSession
    from loom.retention import Retention
    from loom.rewrite.errors import BadArchive, BadPurge, BadRepair, DamagedWorkspace, PlaceTaken
    from loom.rewrite.purge import purge
    from loom.rewrite.purge_report import PurgedPlace, PurgedValue, PurgeReport
    from loom.rewrite.repair import repair
    from loom.rewrite.repair_report import LeftOut, LostPage, RepairedWorkspace, RepairReport
    from loom.typed import BadArgument
    from loom_paging import (
        BadLookup,
        CorruptJournal,
        CorruptPage,
        DamagedPack,
        Expired,
        Forked,
        MissingPage,
        OutsideStore,
        PagingError,
        Slice,
        Store,
        StoreLocked,
        StoreReplaced,
    )
    from loom_paging.errors import PageExists
    from loom_paging.remote.answers import StoreRefused, StoreUnreachable
    from loom_paging.remote.errors import BadBatch, NoObjectStore, StaleWriter
    from loom_paging.rewriting import UnfinishedRewrite
    from loom_partitions.edits import Folded, Lowered, Shortened
    from loom_partitions.limits import Budget
    from loom_partitions.message import Call, Detail
    from loom_partitions.records import Compressed, Renewed
    from loom_partitions.window import Window

__all__ = [
    "PRESETS",
    "SECRETS",
    "Above",
    "AgentResult",
    "Allowed",
    "AlreadyDelivered",
    "Answer",
    "AnsweredCall",
    "BadArchive",
    "BadArgument",
    "BadBatch",
    "BadBudget",
    "BadEvent",
    "BadLookup",
    "BadMemory",
    "BadMessage",
    "BadName",
    "BadNote",
    "BadPlugin",
    "BadPurge",
    "BadRecord",
    "BadRepair",
    "BadResource",
    "BadResult",
    "BadSession",
    "BadSignal",
    "BadSnapshot",
    "BadTool",
    "BrokenLaw",
    "BrokenStream",
    "Budget",
    "BudgetSpent",
    "BusyStore",
    "Call",
    "Capability",
    "Closed",
    "ClosedStore",
    "CollectedPages",
    "Compressed",
    "Context",
    "CorruptJournal",
    "CorruptPage",
    "CorruptStore",
    "Counter",
    "DamagedPack",
    "DamagedWorkspace",
    "Dashboard",
    "Detail",
    "DuplicateTool",
    "Executed",
    "Expired",
    "ExposedWorkspace",
    "FailedStore",
    "Folded",
    "Forked",
    "GonePage",
    "Heartbeat",
    "HeldByHook",
    "KeptPages",
    "Late",
    "Layout",
    "LeftOut",
    "Level",
    "LongTermError",
    "LoomError",
    "LostPage",
    "LostSkill",
    "Lowered",
    "Memory",
    "MissingPage",
    "NewerStore",
    "NewerWorkspace",
    "NoIndex",
    "NoLongTerm",
    "NoObjectStore",
    "NoRunner",
    "NotDelivered",
    "NotOpen",
    "NotRecorded",
    "Observation",
    "OpenCalls",
    "OutsideStore",
    "OverCapacity",
    "OverPart",
    "Overdue",
    "OwnTool",
    "PageExists",
    "PagingError",
    "PlaceTaken",
    "Policy",
    "PolicyIgnored",
    "Pressure",
    "PurgeReport",
    "PurgedPlace",
    "PurgedValue",
    "ReadOnlyStore",
    "Reasoning",
    "Reentered",
    "RefusedFiles",
    "Renewed",
    "RepairReport",
    "RepairedWorkspace",
    "Reply",
    "Result",
    "Retention",
    "Rule",
    "Scene",
    "SecretRule",
    "Separator",
    "Session",
    "Shortened",
    "Skills",
    "Slice",
    "SnapshotWarning",
    "Speech",
    "StaleWriter",
    "Store",
    "StoreLocked",
    "StoreRefused",
    "StoreReplaced",
    "StoreUnreachable",
    "StreamFailed",
    "Summarizer",
    "TooDeep",
    "ToolCall",
    "ToolDescriptor",
    "ToolRefused",
    "ToolResult",
    "ToolSchema",
    "Toolbox",
    "Tuning",
    "Turn",
    "UndeclaredTool",
    "UndoneCall",
    "UnfinishedRewrite",
    "UnknownCall",
    "UnknownEntry",
    "UnknownFormat",
    "UnknownReply",
    "UnknownTool",
    "UnknownTurn",
    "UnreadableCommit",
    "UnsupportedRun",
    "User",
    "Vetoed",
    "Window",
    "WorkerDied",
    "arguments_of",
    "open",
    "own_tool",
    "purge",
    "repair",
    "separate",
    "summarize",
]

if not TYPE_CHECKING:  # a checker must not take every name for one that is there

    def __getattr__(name: str) -> object:
        """A name is imported when it is first used: who asks for a version pays for no engine."""
        if name in ("aio", "fleet"):
            return import_module(f"loom.{name}")
        if name not in MODULES:
            raise AttributeError(f"module 'loom' has no attribute {name!r}")
        return globals().setdefault(name, getattr(import_module(MODULES[name]), name))

    def __dir__() -> list[str]:
        return sorted({*globals(), *MODULES, "aio", "fleet"})

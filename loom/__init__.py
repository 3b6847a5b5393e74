"""Loom: virtual memory for an agent's context window.

`loom.open(path, …)` returns a `Context`. The other names here are the types of its arguments,
return values and errors, and a few functions. `loom.errors` has all errors."""

from importlib import import_module
from typing import TYPE_CHECKING

from loom import _alone as _alone  # tells of another loom in this folder
from loom.lazy import lazy_names
from loom.version import __version__ as __version__

if TYPE_CHECKING:
    from loom import aio as aio
    from loom import errors as errors
    from loom import fleet as fleet
    from loom.capabilities.agents.result import AgentResult
    from loom.capabilities.events.capability import Heartbeat
    from loom.capabilities.memory.capability import Memory
    from loom.capabilities.skills.capability import Skills
    from loom.capabilities.summarizer import Summarizer
    from loom.capabilities.toolbox.descriptor import ToolDescriptor
    from loom.capabilities.toolbox.registry import Toolbox
    from loom.capability import Answer, Capability, Executed, OwnTool, arguments_of, own_tool
    from loom.errors import (
        BadInput,
        BudgetSpent,
        Closed,
        LoomError,
        LoomWarning,
        MissingPage,
        NoRunner,
        OpenCalls,
        OverCapacity,
        StoreLocked,
    )
    from loom.inputs import Reasoning, Reply, Result, Session, Speech, ToolCall, User
    from loom.inspect.reading import read
    from loom.live import Context
    from loom.opening import open
    from loom.policy import PRESETS, Layout, Policy, Tuning
    from loom.providers.counts import Counter
    from loom.providers.reasoning import Separator, separate
    from loom.providers.render.dashboard import Dashboard
    from loom.providers.schema import ToolSchema
    from loom.redact import SECRETS, Allowed, SecretRule
    from loom.reduce.summarize import summarize
    from loom.retention import Retention
    from loom.rewrite.purge import purge
    from loom.rewrite.repair import repair
    from loom.session.pressure import Pressure
    from loom.session.turn import Turn
    from loom_paging import Slice, Store
    from loom_partitions.limits import Budget
    from loom_partitions.message import Call, Detail
    from loom_partitions.window import Window

__all__ = [
    "PRESETS", "SECRETS", "AgentResult", "Allowed", "Answer", "BadInput", "Budget",
    "BudgetSpent", "Call", "Capability", "Closed", "Context", "Counter", "Dashboard",
    "Detail", "Executed", "Heartbeat", "Layout", "LoomError", "LoomWarning", "Memory",
    "MissingPage", "NoRunner", "OpenCalls", "OverCapacity", "OwnTool", "Policy", "Pressure",
    "Reasoning", "Reply", "Result", "Retention", "SecretRule", "Separator", "Session",
    "Skills", "Slice", "Speech", "Store", "StoreLocked", "Summarizer", "ToolCall",
    "ToolDescriptor", "ToolSchema", "Toolbox", "Tuning", "Turn", "User", "Window",
    "arguments_of", "open", "own_tool", "purge", "read", "repair", "separate", "summarize",
]  # fmt: skip

# A module and the names of it that stand here, each imported when it is first used.
_PLACES = """
    loom.capabilities.agents.result AgentResult
    loom.capabilities.events.capability Heartbeat
    loom.capabilities.memory.capability Memory
    loom.capabilities.skills.capability Skills
    loom.capabilities.summarizer Summarizer
    loom.capabilities.toolbox.descriptor ToolDescriptor
    loom.capabilities.toolbox.registry Toolbox
    loom.capability Answer Capability Executed OwnTool arguments_of own_tool
    loom.errors BadInput BudgetSpent Closed LoomError LoomWarning MissingPage
    loom.errors NoRunner OpenCalls OverCapacity StoreLocked
    loom.inputs Reasoning Reply Result Session Speech ToolCall User
    loom.inspect.reading read
    loom.live Context
    loom.opening open
    loom.policy PRESETS Layout Policy Tuning
    loom.providers.counts Counter
    loom.providers.reasoning Separator separate
    loom.providers.render.dashboard Dashboard
    loom.providers.schema ToolSchema
    loom.redact SECRETS Allowed SecretRule
    loom.reduce.summarize summarize
    loom.retention Retention
    loom.rewrite.purge purge
    loom.rewrite.repair repair
    loom.session.pressure Pressure
    loom.session.turn Turn
    loom_paging Slice Store
    loom_partitions.limits Budget
    loom_partitions.message Call Detail
    loom_partitions.window Window
"""
_MODULES = {
    name: place[0] for place in map(str.split, _PLACES.strip().splitlines()) for name in place[1:]
}
_PARTS = ("aio", "errors", "fleet")

if not TYPE_CHECKING:  # a checker must not take every name for one that is there
    _import_name = lazy_names(globals(), _MODULES)

    def __getattr__(name: str) -> object:
        """Return the public name `name`. Its module is imported at the first use, so that reading
        `loom.version` imports no engine."""
        return import_module(f"loom.{name}") if name in _PARTS else _import_name(name)

    def __dir__() -> list[str]:
        return sorted({*globals(), *_MODULES, *_PARTS})

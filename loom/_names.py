"""Which module each public name of Loom is in, so that it is imported when it is first used."""

from __future__ import annotations

NAMES: dict[str, tuple[str, ...]] = {
    "loom.capabilities.agents.result": ("AgentResult",),
    "loom.capabilities.events.capability": ("Heartbeat",),
    "loom.capabilities.memory.capability": ("Memory",),
    "loom.capabilities.skills.capability": ("Skills",),
    "loom.capabilities.summarizer": ("Summarizer",),
    "loom.capabilities.toolbox.descriptor": ("ToolDescriptor",),
    "loom.capabilities.toolbox.registry": ("Toolbox",),
    "loom.capability": (
        "Answer",
        "Capability",
        "Executed",
        "OwnTool",
        "arguments_of",
        "own_tool",
    ),
    "loom.engine.pressure": ("Pressure",),
    "loom.engine.turn": ("Turn",),
    "loom.errors": (
        "BadInput",
        "BudgetSpent",
        "Closed",
        "LoomError",
        "LoomWarning",
        "MissingPage",
        "NoRunner",
        "OpenCalls",
        "OverCapacity",
        "StoreLocked",
    ),
    "loom.inputs": (
        "Reasoning",
        "Reply",
        "Result",
        "Session",
        "Speech",
        "ToolCall",
        "User",
    ),
    "loom.live": ("Context",),
    "loom.opening": ("open",),
    "loom.policy": (
        "PRESETS",
        "Layout",
        "Policy",
        "Tuning",
    ),
    "loom.providers.counts": ("Counter",),
    "loom.providers.reasoning": (
        "Separator",
        "separate",
    ),
    "loom.providers.render.dashboard": ("Dashboard",),
    "loom.providers.schema": ("ToolSchema",),
    "loom.redact": (
        "SECRETS",
        "Allowed",
        "SecretRule",
    ),
    "loom.reduce.summarize": ("summarize",),
    "loom.retention": ("Retention",),
    "loom.rewrite.purge": ("purge",),
    "loom.rewrite.repair": ("repair",),
    "loom_paging": (
        "Slice",
        "Store",
    ),
    "loom_partitions.limits": ("Budget",),
    "loom_partitions.message": (
        "Call",
        "Detail",
    ),
    "loom_partitions.window": ("Window",),
}
MODULES = {name: module for module, names in NAMES.items() for name in names}

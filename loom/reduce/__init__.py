"""Stage 1: what comes back from a tool, made minimal but recoverable. Pure: no disk, no clock."""

from loom.reduce.aliases import canonical
from loom.reduce.arguments import GATEWAY, meant, parse
from loom.reduce.deeds import facts_of_result
from loom.reduce.facts import facts_of_reply
from loom.reduce.notes import voice_of
from loom.reduce.preview import (
    minimal_arguments,
    preview,
    preview_spoken,
    snip,
    snip_spoken,
)
from loom.reduce.rule import TEMPLATES, Observation, Rule, ToolResult
from loom.reduce.rules import called, reduce, unanswered
from loom.reduce.said import facts_of_user

__all__ = [
    "GATEWAY",
    "TEMPLATES",
    "Observation",
    "Rule",
    "ToolResult",
    "called",
    "canonical",
    "facts_of_reply",
    "facts_of_result",
    "facts_of_user",
    "meant",
    "minimal_arguments",
    "parse",
    "preview",
    "preview_spoken",
    "reduce",
    "snip",
    "snip_spoken",
    "unanswered",
    "voice_of",
]

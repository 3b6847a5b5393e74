"""Trajectories of SWE-agent (`.traj`) and of mini-swe-agent (`.traj.json`).

Both are an object: SWE-agent's holds its messages under `history`, mini-swe-agent's under
`messages`, where the reply of a Responses model is kept whole. What is not a provider's shape is
made so, and then read as a list of that provider's messages.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from loom.inputs import Event, RecordedUsage
from loom.providers.formats.wire import count
from loom.replay.importers.facts import RecordedFacts, total, usage_of
from loom.replay.importers.listed import OPENAI_LIST, RESPONSES_LIST
from loom.replay.importers.members import list_at, member_at, text_at
from loom.replay.importers.talks import Importer, RecordedMessage, Talk

ABOUT = frozenset({"trajectory_format", "trajectory"})
MESSAGE = frozenset({"message_type", "agent"})  # what SWE-agent adds to a message
# What both write beside the message itself.
OWN = frozenset(
    {"agent", "message_type", "tool_call_ids", "extra", "thought", "action", "is_demo", "tags",
     "cache_control", "state", "demo"}
)  # fmt: skip
END = "exit"  # mini-swe-agent's role for how a run ended, which no model is told


def accepts(talk: Talk) -> bool:
    """Tell whether the object or a message has what only these two write."""
    told = "info" in talk.about and ABOUT & talk.about.keys()
    return bool(told) or any(item.value.keys() >= MESSAGE for item in talk.items)


def events(talk: Talk, notes: list[str]) -> Iterator[Event]:
    """Yield the events of a trajectory in recorded order; how it ended is noted."""
    items: list[RecordedMessage] = []
    for item in talk.items:
        if item.value.get("role") == END:
            notes.append(f"message {item.index}: how the run ended was left out")
        else:
            items += (replace(item, value=value) for value in _plain(item.value))
    whole = any(item.value.get("object") == "response" for item in talk.items)
    shape = RESPONSES_LIST if whole else OPENAI_LIST
    return shape.events(replace(talk, items=tuple(items)), notes)


def facts(talk: Talk) -> RecordedFacts:
    """Return the model, and what its replies or the run say they used."""
    each = (usage_of(member_at(item.value, "extra.response.usage", "usage")) for item in talk.items)
    sent, received = (
        count(member_at(talk.about, f"info.model_stats.tokens_{way}"))
        for way in ("sent", "received")
    )
    used = total(each) or total([RecordedUsage(sent, output=received)])
    return RecordedFacts(text_at(talk.about, "info.config.model.model_name"), used)


def _plain(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The messages or items that one stands for, as their provider has them."""
    output = message.get("output")
    if message.get("object") == "response" and isinstance(output, list):
        yield from (item for item in output if isinstance(item, dict))
        return
    fields = {key: value for key, value in message.items() if key not in OWN}
    first, *others = list_at(message, "tool_call_ids") or [None]
    answers = message.get("role") == "tool" and "tool_call_ids" in message
    yield {"tool_call_id": first, **fields} if answers else fields
    for id in others if answers else ():  # several calls have one observation: it is named
        yield {"role": "tool", "tool_call_id": id, "content": f"[see the result of {first}]"}


IMPORTER = Importer("swe-agent", accepts, events, facts)

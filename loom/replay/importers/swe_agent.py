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
from loom.replay.importers.talks import Importer, RecordedMessage, Talk

_ABOUT = ("trajectory_format", "trajectory")
_MESSAGE = frozenset({"message_type", "agent"})  # what SWE-agent adds to a message
_END = "exit"  # mini-swe-agent's role for how a run ended, which no model is told


def accepts(talk: Talk) -> bool:
    """Tell whether the object or a message has what only these two write."""
    told = any(key in talk.about for key in _ABOUT) and "info" in talk.about
    return told or any(item.value.keys() >= _MESSAGE for item in talk.items)


def events(talk: Talk, notes: list[str]) -> Iterator[Event]:
    """Yield the events of a trajectory in recorded order; how it ended is noted."""
    shape = RESPONSES_LIST if _is_responses(talk) else OPENAI_LIST
    items: list[RecordedMessage] = []
    for item in talk.items:
        if item.value.get("role") == _END:
            notes.append(f"message {item.index}: how the run ended was left out")
        else:
            items += (replace(item, value=value) for value in _plain(item.value))
    return shape.events(replace(talk, items=tuple(items)), notes)


def facts(talk: Talk) -> RecordedFacts:
    """Return the model, and what its replies or the run say they used."""
    info = _dict(talk.about.get("info"))
    stats = _dict(info.get("model_stats"))
    model = _dict(_dict(info.get("config")).get("model")).get("model_name")
    each = (usage_of(_usage(item)) for item in talk.items)
    run = RecordedUsage(count(stats.get("tokens_sent")), output=count(stats.get("tokens_received")))
    return RecordedFacts(str(model or ""), total(each) or total([run]))


def _is_responses(talk: Talk) -> bool:
    return any(item.value.get("object") == "response" for item in talk.items)


def _usage(item: RecordedMessage) -> Any:
    response = _dict(item.value.get("extra")).get("response")
    return _dict(response).get("usage") or item.value.get("usage")


def _plain(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The messages or items that one stands for, as their provider has them."""
    output = message.get("output")
    if message.get("object") == "response" and isinstance(output, list):
        yield from (item for item in output if isinstance(item, dict))
        return
    fields = {key: value for key, value in message.items() if key not in _OWN}
    ids = message.get("tool_call_ids")
    if message.get("role") != "tool" or not isinstance(ids, list):
        yield fields
        return
    first, *others = ids or [None]
    yield {"tool_call_id": first, **fields}
    for id in others:  # several calls have one observation: the others are answered by its name
        yield {"role": "tool", "tool_call_id": id, "content": f"[see the result of {first}]"}


# What both write beside the message itself.
_OWN = frozenset(
    {"agent", "message_type", "tool_call_ids", "extra", "thought", "action", "is_demo", "tags",
     "cache_control", "state", "demo"}
)  # fmt: skip


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


IMPORTER = Importer("swe-agent", accepts, events, facts)

"""OpenAI Responses: a flat list of items, in which the parts of one reply stand side by side.

Nothing in the list says where a reply ends and the next begins. A result ends one, and so does a
message of another role; of two messages in a row with no call waiting each is a reply of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from loom.inputs import Event, Result, System, User
from loom.providers.formats import responses as wire
from loom.providers.formats.wire import parts, text_of
from loom.replay.importers.talks import Importer, RecordedMessage, Talk, readable, reply_of

RESULTS = frozenset(result for _, result in wire.CALLS.values())
ITEMS = frozenset({"reasoning", *wire.CALLS, *RESULTS})
TEXTS = frozenset({"input_text", "output_text"})


def accepts(talk: Talk) -> bool:
    """Tell whether an item, or a part of a message, has a type only this provider gives."""
    return any(_kind(item.value) in ITEMS or _has_text(item.value) for item in talk.items)


def _has_text(value: dict[str, Any]) -> bool:
    return any(_kind(part) in TEXTS for part in parts(value.get("content")))


def _kind(value: dict[str, Any]) -> str:
    """The type of an item or a part; that of a message need not be told."""
    return str(value.get("type", "message"))


def events(talk: Talk, notes: list[str]) -> Iterator[Event]:
    """Yield the events of a session in recorded order, a reply where its first item stands."""
    groups = {group[0].index: group for group in _groups(talk.items)}

    def read(first: RecordedMessage) -> Iterator[Event]:
        value, role = first.value, first.value.get("role")
        if _kind(value) in RESULTS:
            yield _result(first)
        elif role in ("system", "developer"):
            yield System(text_of(value.get("content")), first.index)
        elif role == "user":
            yield User(text_of(value.get("content")), first.index)
        elif _is_said(value):
            items = [_whole(item.value) for item in groups[first.index]]
            yield reply_of(first, wire.decode, {"object": "response", "output": items})
        else:
            raise first.bad(f"the role {role!r:.80} is none of user, assistant, system, developer")

    return readable([group[0] for group in groups.values()], notes, read)


def _is_said(value: dict[str, Any]) -> bool:
    """Tell whether an item is part of a reply."""
    return value.get("role", "assistant") == "assistant" and _kind(value) not in RESULTS


def _groups(items: Iterable[RecordedMessage]) -> list[list[RecordedMessage]]:
    """Gather the items of each reply; every other item stands alone."""
    groups: list[list[RecordedMessage]] = []
    said = called = False  # of the reply that is open: a message of it, a call of it
    before = False
    for item in items:
        mine, kind = _is_said(item.value), _kind(item.value)
        another = said and not called and kind in ("message", "reasoning")
        if mine and before and not another:
            groups[-1].append(item)
        else:
            groups.append([item])
            said = called = False
        said, called, before = said or kind == "message", called or kind in wire.CALLS, mine
    return groups


def _whole(value: dict[str, Any]) -> dict[str, Any]:
    """A message in the easy shape, a text under a role, as an item; any other item as it is."""
    if "type" in value and not isinstance(value.get("content"), str):
        return value
    content = value.get("content")
    said = [{"type": "output_text", "text": content}] if isinstance(content, str) else content
    return {"type": "message", **value, "content": said}


def _result(item: RecordedMessage) -> Result:
    value = item.value
    call_id = value.get("call_id")
    if not isinstance(call_id, str):
        raise item.bad("a result has no `call_id`")
    failed = value.get("status") == "error"
    return Result(call_id, text_of(value.get("output"), "\n"), failed, item.index)


IMPORTER = Importer("responses", accepts, events)

"""Chat Completions message lists, the old `function` role included."""

from __future__ import annotations

from collections.abc import Iterator

from loom.inputs import Event, Reply, Result, System, User
from loom.providers.formats import openai as wire
from loom.providers.formats.wire import text_of
from loom.replay.importers.talks import Importer, RecordedMessage, Talk, readable, reply_of

ROLES = ("system", "developer", "user", "assistant", "tool", "function")


def accepts(talk: Talk) -> bool:
    """Tell whether messages have roles of this provider."""
    return any(item.value.get("role") in ROLES for item in talk.items)


def events(talk: Talk, notes: list[str]) -> Iterator[Event]:
    """Yield the events of a session in recorded order."""
    latest = Reply(())

    def read(item: RecordedMessage) -> Iterator[Event]:
        nonlocal latest
        match item.value.get("role"):
            case "system" | "developer":
                yield System(text_of(item.value.get("content")), item.index)
            case "user":
                yield User(text_of(item.value.get("content")), item.index)
            case "assistant":
                latest = reply_of(item, wire.decode, item.value)
                yield latest
            case "function":
                name = str(item.value.get("name"))
                called = (call.id for call in latest.calls if call.name == name)
                yield _result(item, next(called, name))
            case "tool":
                yield _result(item, item.value.get("tool_call_id"))
            case role:
                raise item.bad(f"the role {role!r:.80} is none of {', '.join(ROLES)}")

    return readable(talk.items, notes, read)


def _result(item: RecordedMessage, call_id: object) -> Result:
    if not isinstance(call_id, str):
        raise item.bad("a result has no `tool_call_id`")
    # No member of the shape says that a tool failed; clients that keep it do it so.
    failed = item.value.get("status") == "error"
    return Result(call_id, text_of(item.value.get("content"), "\n"), failed, item.index)


IMPORTER = Importer("openai", accepts, events)

"""The inputs of a context, before they are counted, redacted or stored: the same classes for every
provider. Formats decode replies into these classes, importers read recorded sessions into them."""

from __future__ import annotations

from msgspec import Struct


class Speech(Struct, frozen=True, tag="speech"):
    """A block of text that the model said."""

    text: str


class Reasoning(Struct, frozen=True, tag="reasoning"):
    """A block of reasoning. Some providers demand such a block back in later requests: then
    `opaque` is the block's JSON and `format` the provider's format; else `opaque` is ""."""

    text: str = ""
    opaque: str = ""
    format: str = ""


class ToolCall(Struct, frozen=True, tag="call"):
    """A call of a tool that the model made; `arguments` is JSON text, verbatim, perhaps invalid."""

    id: str
    name: str
    arguments: str


class Reply(Struct, frozen=True, tag="reply"):
    """One reply of the model, its blocks in the provider's order. `prompt_tokens` is the size of
    the request as the provider reported it, 0 where it did not; `index` is the message's number in
    a recorded session, else -1.

        >>> call = loom.ToolCall("c1", "read_file", '{"path": "a.py"}')
        >>> loom.Reply((loom.Speech("I read it."), call)).calls[0].name
        'read_file'"""

    parts: tuple[Speech | Reasoning | ToolCall, ...]
    model: str = ""
    prompt_tokens: int = 0
    index: int = -1

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """Return the calls of the reply, in order."""
        return tuple(part for part in self.parts if isinstance(part, ToolCall))


class Result(Struct, frozen=True, tag="result"):
    """The result of one call, as text. `data` holds the payload's bytes where they are no text,
    else None. `own` is the provider's JSON of the result's parts, kept where only that provider's
    format knows one of the parts; else ""."""

    call_id: str
    text: str
    error: bool = False
    index: int = -1
    data: bytes | None = None
    own: str = ""


class User(Struct, frozen=True, tag="user"):
    """A message of the user. `kind` says whose words the text is, as for `Context.user`: "" for the
    user's own; in a recorded session also "summary" or "observation", for a text that the client
    put there."""

    text: str
    index: int = -1
    kind: str = ""


class System(Struct, frozen=True, tag="system"):
    """Instructions that the harness gave, as a recorded session holds them."""

    text: str
    index: int = -1


Event = System | User | Reply | Result


class ClientCompaction(Struct, frozen=True):
    """A compaction that the recording client made of its own window.

    Sizes are in tokens, 0 where not recorded: the window `before` and `after`; `read` and `wrote`,
    the input and output of the request for the summary; `front`, the session's first request. `at`
    is the number of events before the compaction; a recorded `summary` is also the event with the
    index `at`. `trigger` is the client's word for the cause, such as `auto`. `when` is in
    milliseconds since the epoch. `kept` are the texts that stayed beside the summary, where
    recorded."""

    at: int
    before: int = 0
    after: int = 0
    read: int = 0
    wrote: int = 0
    trigger: str = ""
    summary: str = ""
    when: int = 0
    front: int = 0
    kept: tuple[str, ...] = ()


class RecordedUsage(Struct, frozen=True):
    """The tokens that providers reported over all requests of a session.

    `input` counts whole prompts. Of these tokens `cached` were read from the provider's cache, and
    `written` were written into it."""

    input: int = 0
    cached: int = 0
    output: int = 0
    written: int = 0


class Session(Struct, frozen=True):
    """A recorded session: its name, its events in lawful order, and in `mended` a line for each
    repair made to get that order.

    Lawful order: results follow their reply directly, and every call has exactly one result. An
    event's `index` is the number of its message (or line, from 0), -1 for an event that was made
    up. `compactions` are the recording client's. `model` is "" and `usage` None where not recorded.
    `times` has each event's time in milliseconds since the epoch, 0 where unknown; () where none is
    known. `shape` names the importer, `project` the agent's folder, "" if unknown."""

    name: str
    events: tuple[Event, ...]
    source: str = ""
    mended: tuple[str, ...] = ()
    compactions: tuple[ClientCompaction, ...] = ()
    model: str = ""
    usage: RecordedUsage | None = None
    times: tuple[int, ...] = ()
    shape: str = ""
    project: str = ""

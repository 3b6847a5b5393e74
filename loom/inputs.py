"""What comes in, before it is counted, redacted or stored: the same shapes for every provider.

Formats decode a provider's reply into these; importers read whole recorded sessions into them.
"""

from __future__ import annotations

from msgspec import Struct


class Speech(Struct, frozen=True, tag="speech"):
    """A block of text the model said."""

    text: str


class Reasoning(Struct, frozen=True, tag="reasoning"):
    """A block of reasoning; `opaque` is the provider's JSON block when it must be sent back."""

    text: str = ""
    opaque: str = ""
    format: str = ""


class ToolCall(Struct, frozen=True, tag="call"):
    """A call the model made; `arguments` is JSON text, verbatim, perhaps invalid."""

    id: str
    name: str
    arguments: str


class Reply(Struct, frozen=True, tag="reply"):
    """One reply of the model, its blocks in the provider's order.

    `prompt_tokens` is the size of the request as the provider reported it, 0 when it did not.

        >>> call = loom.ToolCall("c1", "read_file", '{"path": "a.py"}')
        >>> loom.Reply((loom.Speech("I read it."), call)).calls[0].name
        'read_file'
    """

    parts: tuple[Speech | Reasoning | ToolCall, ...]
    model: str = ""
    prompt_tokens: int = 0
    index: int = -1

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The calls of the reply, in order."""
        return tuple(part for part in self.parts if isinstance(part, ToolCall))


class Result(Struct, frozen=True, tag="result"):
    """The result of one call, as text; `data` is the payload when it was bytes that are no text,
    `own` the JSON of its parts in a format's own spelling where it alone knows one of them."""

    call_id: str
    text: str
    error: bool = False
    index: int = -1
    data: bytes | None = None
    own: str = ""


class User(Struct, frozen=True, tag="user"):
    """A message of the user. `kind`: whose words they are where a recording says it (a client's
    "summary", an "observation" it put there), as for `Context.user`; "" for the user's."""

    text: str
    index: int = -1
    kind: str = ""


class System(Struct, frozen=True, tag="system"):
    """Instructions given by the harness."""

    text: str
    index: int = -1


Event = System | User | Reply | Result


class ClientCompaction(Struct, frozen=True):
    """A compaction the recording client made of its own window.

    Sizes are in tokens, 0 where the recording does not say: the window `before` and `after`, and of
    the request for the summary what the model `read` and `wrote`. `at` counts the events of the
    session that stand before it; a summary that was recorded is the event at that place, and
    `summary` is its text. `trigger` is the client's word for why it happened, such as `auto`.
    `when` is in milliseconds since the epoch, `front` the size of the session's first request, all
    the client sends in it, `kept` the texts that stood on beside the summary, where recorded.
    """

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
    """What providers reported over all requests of a session, in tokens.

    `input` counts whole prompts; of these the cache served `cached`, and `written` went into it.
    """

    input: int = 0
    cached: int = 0
    output: int = 0
    written: int = 0


class Session(Struct, frozen=True):
    """A recorded session: its name, its events in lawful order, and what had to be mended.

    Lawful order: results follow their reply directly, every call has exactly one result.
    An event's `index` is the number of the message (or line, from 0) it came from, -1 when made.
    `compactions` are those of the client that recorded it; `model` is "" and `usage` None where
    the recording does not tell. `times` has for each event when it was recorded, in milliseconds
    since the epoch (0 where that is not known), and is empty where no time is. `shape` names who
    read it, `project` is the folder the agent worked in, "" where that is not recorded.
    """

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

"""The inputs of a context as classes, the same for every provider. Formats decode replies into
these classes. Importers read recorded sessions into them."""

from __future__ import annotations

from msgspec import Struct


class Speech(Struct, frozen=True, tag="speech"):
    """A block of text in a reply of the model."""

    text: str


class Reasoning(Struct, frozen=True, tag="reasoning"):
    """A block of reasoning in a reply. For a block that the provider wants back in later requests,
    `opaque` is its JSON and `format` the provider's format; otherwise `opaque` is ""."""

    text: str = ""
    opaque: str = ""
    format: str = ""


class ToolCall(Struct, frozen=True, tag="call"):
    """A tool call by the model. `arguments` is the JSON text that the model wrote. It may be
    invalid JSON."""

    id: str
    name: str
    arguments: str


class Reply(Struct, frozen=True, tag="reply"):
    """A reply of the model. `parts` has its blocks in order. `prompt_tokens` is the size of the
    request as the provider reported it, 0 if unknown. `index` is the number of the message in a
    recorded session, else -1.

        >>> call = loom.ToolCall("c1", "read_file", '{"path": "a.py"}')
        >>> loom.Reply((loom.Speech("I read it."), call)).calls[0].name
        'read_file'"""

    parts: tuple[Speech | Reasoning | ToolCall, ...]
    model: str = ""
    prompt_tokens: int = 0
    index: int = -1

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """Return the tool calls of the reply, in order."""
        return tuple(part for part in self.parts if isinstance(part, ToolCall))


class Result(Struct, frozen=True, tag="result"):
    """The result of a tool call as text. `data` has the bytes of a result that is not text, else
    None. `own` is the JSON of the result's parts if a part exists in only one provider's format,
    else ""."""

    call_id: str
    text: str
    error: bool = False
    index: int = -1
    data: bytes | None = None
    own: str = ""


class User(Struct, frozen=True, tag="user"):
    """A user message. `kind` says who wrote the text, as in `Context.user`. "" is the user. In a
    recorded session it may be "summary" or "observation", for a text by the client."""

    text: str
    index: int = -1
    kind: str = ""


class System(Struct, frozen=True, tag="system"):
    """Instructions from the host program to the model in a recorded session."""

    text: str
    index: int = -1


Event = System | User | Reply | Result


class ClientCompaction(Struct, frozen=True):
    """A compaction that the recorded client made of its own window.

    Sizes are in tokens, 0 if not recorded. `before` and `after` are the window's sizes. `read` and
    `wrote` are the input and output of the request for the summary. `front` is the size of the
    session's first request. `at` is the number of events before the compaction. If there is a
    `summary`, the event with index `at` repeats it. `trigger` is the client's word for the cause,
    such as "auto". `when` is in milliseconds since the epoch. `kept` has texts that the client kept
    beside the summary."""

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
    """The tokens that providers reported for one or more requests. `input` counts whole prompts,
    `cached` their tokens read from the provider's cache, `written` their tokens written to the
    cache."""

    input: int = 0
    cached: int = 0
    output: int = 0
    written: int = 0


class Session(Struct, frozen=True):
    """A recorded session with its events in lawful order. `mended` has a line for each repair.

    Lawful order: each reply is followed directly by one result for each of its calls. An event's
    `index` is the number of its message, or its line counted from 0; -1 for a made-up event.
    `model` is "" and `usage` None if not recorded. `times` has the time of each event in
    milliseconds since the epoch, 0 if unknown. It is () if no time is known. `shape` is the
    importer's name. `project` is the folder the agent worked in, "" if unknown."""

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

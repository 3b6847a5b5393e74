"""The things a window holds: texts, replies, steps, user turns, digests and notices.

The step is the atom of history: one model reply with its tool calls *and all of their results*. No
edit can split a step, so no compression can orphan a call or a result."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Any

from msgspec import Struct, json

from loom_partitions.fact import Fact as Fact


class Detail(IntEnum):
    """How much of an entry is shown, from all of it (FULL) to one line (COMPACT). A larger value
    shows less, and compression only ever raises the value.

    >>> loom.Detail.COMPACT > loom.Detail.FULL
    True"""

    FULL = 0  # every byte as the provider gave it
    SNIPPED = 1  # still call and result, some texts shortened to head, tail and page
    REDUCED = 2  # one line: the tool's observation, minimal arguments, page
    COMPACT = 3  # one templated line
    # An entry below COMPACT is not in the window: a Digest stands for it.


class Attachment(Struct, frozen=True, gc=False, omit_defaults=True):
    """An image or a document, sent beside a line of text that describes it.

    `type` is its MIME type. `tokens` is its cost by the provider's formula, without the line. Its
    bytes are on the page of the Text it belongs to. For bytes that are elsewhere (a URL, a file's
    id) `format` is set, and the page holds a part of a request in this format. `detail` is the
    provider's option for how closely the model looks. `side` is the longer side of an image in
    pixels, `pages` the number of pages of a PDF, 0 if unknown. `of` is the page of the whole
    document when the attachment is only some of its pages."""

    type: str
    tokens: int
    detail: str = ""
    format: str = ""
    side: int = 0
    pages: int = 0
    of: str = ""


class Text(Struct, frozen=True, gc=False, omit_defaults=True):
    """A text with its token count. It never changes. It has a body, a page, or both.

    - `body` is None: the whole text is shown. It is read from `page` when a request is made.
    - `body` is set, `page` is "": the body is the whole text.
    - Both are set: the body is a shortened form, and `page` names the page with the whole text.

    `tokens` counts what is shown; `size` is the size of the whole text in UTF-8 bytes. `lines`
    lists the ranges (first, last) of lines of the whole text, from 1, that a shortened body shows;
    () when the body is not made of such lines. With `media`, the body is a line that describes an
    image or document of `size` bytes (0 when its bytes lie elsewhere). `marked` is True when some
    lines of the body are Loom's own. `own` names a format: the page then holds blocks of this
    format as the JSON `{"format", "part"}`. Requests in this format have these blocks in place of
    the text while the text is shown whole."""

    tokens: int
    size: int
    body: str | None = None
    page: str = ""
    lines: tuple[tuple[int, int], ...] = ()
    media: Attachment | None = None
    marked: bool = False
    own: str = ""

    @property
    def whole(self) -> bool:
        """True when the whole text is shown, not a shortened form."""
        return self.body is None or not self.page or self.media is not None


class Said(Struct, frozen=True, gc=False, tag="said"):
    """Text that the model wrote for its reader: one block of its reply."""

    text: Text


class Thought(Struct, frozen=True, gc=False, omit_defaults=True, tag="thought"):
    """Reasoning of the model. `opaque` is the provider's own JSON block; it is sent back unchanged,
    only in requests in `format`. A thought without `opaque` is never sent.

    `unbound` is True for a thought that does not depend on the text before it. Any other thought is
    removed when the text before it changes."""

    text: str = ""
    opaque: str = ""
    format: str = ""
    tokens: int = 0
    unbound: bool = False


class Call(Struct, frozen=True, gc=False, omit_defaults=True, tag="call"):
    """A tool call. `arguments` is the JSON text as the provider gave it; it may be invalid JSON.

    `tokens` counts name, id, arguments and the overhead of a call. `page` names the page with the
    whole arguments when those shown are shortened. `redacted` is True when a secret in the stored
    arguments was replaced, so that the call cannot be run from them.

        >>> loom.Call("c1", "read_file", '{"path": "a.py"}', tokens=9).args
        {'path': 'a.py'}"""

    id: str
    name: str
    arguments: str
    tokens: int
    page: str = ""
    redacted: bool = False

    @property
    def args(self) -> dict[str, Any]:
        """The arguments, by name. Raises ValueError when their text is not a JSON object."""
        return json.decode(self.arguments, type=dict[str, Any]) if self.arguments.strip() else {}


Part = Said | Thought | Call


def thought_tokens(parts: Iterable[Part]) -> int:
    """Return the number of tokens of all reasoning among the parts of a reply."""
    return sum(part.tokens for part in parts if isinstance(part, Thought))


class Reduction(Struct, frozen=True, gc=False, omit_defaults=True):
    """The shortest form of a tool call with its result.

    `tool` is the canonical name (`fs:read_file`). `minimal_args` holds the short arguments.
    `observation` is one line about the result. `compact` is call and result in one line.
    `outcome_ref` is the page with the full result, "" for none."""

    tool: str
    minimal_args: dict[str, str | int | float | bool | None]
    observation: str
    compact: str
    outcome_ref: str = ""


class Outcome(Struct, frozen=True, gc=False, omit_defaults=True):
    """The result of one call: its text, whether it failed (`error`), and its shortest form.
    `stand_in` is True when Loom wrote the text because the call was interrupted; the real result
    may still come."""

    call_id: str
    text: Text
    reduction: Reduction
    error: bool = False
    stand_in: bool = False


class UserTurn(Struct, frozen=True, gc=False, omit_defaults=True, tag="user"):
    """One message in the user's role. `line` is shown in its place at the level REDUCED or COMPACT.

    `source` is set when Loom made the message: the page or entry its text comes from. Such a
    message may hold lines that Loom read ahead, from the file `about` or the `field` of an entry.
    With a `call` the message is the late result of that call, and `about` names what was called.
    `voice` says whose words these are: "" typed by the user, "observation" a tool's result that the
    host sent this way, "summary" a client's summary of earlier messages, "document" an attached
    file, "skill" the body of a skill or command from a client, "instructions" from the host."""

    id: int
    text: Text
    tokens: int
    detail: Detail = Detail.FULL
    line: str = ""
    facts: tuple[Fact, ...] = ()
    source: str = ""
    voice: str = ""
    about: str = ""
    field: str = ""
    call: str = ""

    @property
    def typed(self) -> bool:
        """True when the user typed the message."""
        return not (self.source or self.voice or self.text.media)

    @property
    def ahead(self) -> bool:
        """True when the message holds lines that Loom read before the model asked for them."""
        return bool(self.source and (self.field or self.text.lines) and not self.call)


class PagedIn(Struct, frozen=True, gc=False, omit_defaults=True, tag="paged"):
    """Lines shown after the results of a step, which Loom read before the model asked for them.

    `ref` is the page or entry the lines come from, `field` the call or argument of that entry,
    `path` the file name as the call gave it. `text.tokens` counts the lines with their heading."""

    ref: str
    text: Text
    path: str = ""
    field: str = ""


# The parts of the step whose calls were asked for last, and those calls.
_last_calls: list[tuple[tuple[Part, ...], tuple[Call, ...]]] = [((), ())]


class Step(Struct, frozen=True, gc=False, omit_defaults=True, tag="step"):
    """One model reply with its tool calls and all of their results.

    `parts` keeps the order of the provider's blocks, `outcomes` the order in which results arrived.
    `open` lists the ids of calls without a result. `tokens` counts what is shown now. `page` holds
    the whole reply if it was too large for the window. `beside` holds lines that Loom read ahead.
    `cut` is True when the reply ended at a limit. `paused` is True when the provider will continue
    the reply once it is sent back."""

    id: int
    parts: tuple[Part, ...]
    tokens: int
    outcomes: tuple[Outcome, ...] = ()
    open: tuple[str, ...] = ()
    detail: Detail = Detail.FULL
    line: str = ""
    facts: tuple[Fact, ...] = ()
    page: str = ""
    beside: tuple[PagedIn, ...] = ()
    cut: bool = False
    paused: bool = False

    @property
    def calls(self) -> tuple[Call, ...]:
        """The calls of this step, in order."""
        # Asked at each result: for a step of thousands of calls to look again would cost seconds.
        parts, calls = _last_calls[0]
        if parts is not self.parts:
            calls = tuple([part for part in self.parts if type(part) is Call])
            _last_calls[0] = self.parts, calls
        return calls

    @property
    def in_order(self) -> list[Outcome]:
        """The results, sorted in the order of their calls."""
        order = {call.id: at for at, call in enumerate(self.calls)}
        return sorted(self.outcomes, key=lambda outcome: order[outcome.call_id])

    @property
    def failed(self) -> bool:
        """True when a tool of this step returned an error."""
        return any(outcome.error and not outcome.stand_in for outcome in self.outcomes)


class Digest(Struct, frozen=True, gc=False, omit_defaults=True, tag="digest"):
    """The text shown in place of the entries `first` to `last`; `page` lists all of them. Some of
    these entries may still be in the window, after the digest.

    `told` is True once a model has summed up the entries. The summary is among `facts`."""

    id: int
    first: int
    last: int
    text: str
    tokens: int
    page: str
    steps: int = 0
    users: int = 0
    failures: int = 0
    facts: tuple[Fact, ...] = ()
    told: bool = False


class Notice(Struct, frozen=True, gc=False, omit_defaults=True, tag="notice"):
    """A text that Loom put into the stream between two cuts. The next cut removes it.

    `partition` says what the text belongs to: `working` for the dashboard or its changes; system,
    memory or skill for a text that a cut will move to that partition. `quoted` is True when all but
    the first line was written by someone else."""

    partition: str
    text: str
    tokens: int
    quoted: bool = False


Entry = UserTurn | Step | Digest
Item = UserTurn | Step | Digest | Notice


def name_of(entry: Entry) -> str:
    """Return the name of an entry, such as `step_0007`, by which the model can page it in."""
    kind = {UserTurn: "user", Step: "step", Digest: "digest"}[type(entry)]
    return f"{kind}_{entry.id:04d}"

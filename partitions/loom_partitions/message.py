"""The things a window holds: texts, replies, steps, user turns, digests and notices.

The step is the atom of history: one model reply with its tool calls *and all of their results*.
Nothing here can split it, so no compression can orphan a call or a result.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Any

from msgspec import Struct, json

from loom_partitions.fact import Fact as Fact


class Detail(IntEnum):
    """Level of detail an entry stands at, from dear to cheap. Compression only lowers it."""

    FULL = 0  # every byte as the provider gave it
    SNIPPED = 1  # still call and result, some texts shortened to head, tail and page
    REDUCED = 2  # one line: the tool's observation, minimal arguments, page
    COMPACT = 3  # one templated line
    # An entry below COMPACT is not in the window: a Digest stands for it.


class Attachment(Struct, frozen=True, gc=False, omit_defaults=True):
    """An image or a document that is sent beside the line that describes it.

    `type` is its MIME type, `tokens` what it costs by its provider's formula, without the line.
    Its payload rests on the page of the Text it belongs to; with a `format`, that page holds the
    part of a request in that format instead, as the payload is elsewhere (a URL, a file's id).
    `detail` is how closely it is looked at, where a provider lets one say. `side` is the longer
    side of an image in pixels, `pages` how many a PDF has, 0 where neither is known. Where it is
    some pages of a document, `of` is the page the whole of that rests on.
    """

    type: str
    tokens: int
    detail: str = ""
    format: str = ""
    side: int = 0
    pages: int = 0
    of: str = ""


class Text(Struct, frozen=True, gc=False, omit_defaults=True):
    """An immutable, counted text: its body here, or the page that holds it.

    `body` None: the whole text rests in `page` and is resident by reference.
    `body` set, `page` empty: the body is the whole text.
    Both set: the body is a shortened form, `page` names what holds the whole.

    `tokens` counts what is shown; `size` is the true size of the whole in UTF-8 bytes.
    `lines` are the ranges of the whole that a shortened body shows, first and last line from 1;
    () when it is no choice of lines. With `media` the whole is no text: it is shown beside the
    body, a line that describes it, and `size` is that of its payload, 0 when it is elsewhere.
    `marked`: the body holds notes of Loom's own, with the session's mark; the rest of it shows
    none. `own` names the format whose blocks the page holds, which Loom does not know, as the JSON
    `{"format", "part"}`: while all of it is shown they stand in its place in that format.
    """

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
        """True when every byte of the text is shown."""
        return self.body is None or not self.page or self.media is not None


class Said(Struct, frozen=True, gc=False, tag="said"):
    """Words of the model that are to be read, one block of its reply."""

    text: Text


class Thought(Struct, frozen=True, gc=False, omit_defaults=True, tag="thought"):
    """Reasoning. `opaque` is the provider's own JSON block, re-emitted verbatim to `format` only.

    A thought without `opaque` is kept in the journal and never sent. One that is `unbound` answers
    for nothing before it, as reasoning nobody signed and a provider's blocks that are none: it
    stands as long as its step does.
    """

    text: str = ""
    opaque: str = ""
    format: str = ""
    tokens: int = 0
    unbound: bool = False


class Call(Struct, frozen=True, gc=False, omit_defaults=True, tag="call"):
    """A tool call: `arguments` is the JSON text as the provider gave it (perhaps not valid JSON).

    `tokens` counts name, id, arguments and the overhead of a call. `page` is set when the
    arguments shown are a shortened form: it names what holds the whole. `redacted`: a secret in it
    was replaced by a mark before it was recorded, so it is not to be run as it stands here.
    """

    id: str
    name: str
    arguments: str
    tokens: int
    page: str = ""
    redacted: bool = False

    @property
    def args(self) -> dict[str, Any]:
        """The arguments by name. Raises ValueError for what is no JSON object."""
        return json.decode(self.arguments, type=dict[str, Any]) if self.arguments.strip() else {}


Part = Said | Thought | Call


def thought_tokens(parts: Iterable[Part]) -> int:
    """Tokens of the reasoning among a reply's parts."""
    return sum(part.tokens for part in parts if isinstance(part, Thought))


class Reduction(Struct, frozen=True, gc=False, omit_defaults=True):
    """A tool result made minimal: what is needed to resume, and where the rest is.

    `tool` is the canonical name (`fs:read_file`), `minimal_args` small scalars only,
    `observation` one line, `outcome_ref` the page of the full result or "", `compact` the
    templated line of the seed documents.
    """

    tool: str
    minimal_args: dict[str, str | int | float | bool | None]
    observation: str
    compact: str
    outcome_ref: str = ""


class Outcome(Struct, frozen=True, gc=False, omit_defaults=True):
    """The result of one call: its text, whether it failed, and its reduced form.

    A `stand_in` is Loom's own: the call was interrupted, and its real result may still come.
    """

    call_id: str
    text: Text
    reduction: Reduction
    error: bool = False
    stand_in: bool = False


class UserTurn(Struct, frozen=True, gc=False, omit_defaults=True, tag="user"):
    """One message of the user. `line` is what is shown at REDUCED and below.

    `source` is set when Loom put it there: the page or entry it is of. Lines that were read ahead,
    of the file `about`, of the `field` of an entry, leave without a line: what they show rests
    there. Of the result of a `call` that came late, `about` says what was called.
    `voice` says whose words they are: "" the user typed them, "observation" a host gave a tool's
    result this way, "summary" a client summed up what went before, "document" a file was attached,
    "skill" a client gave the body of a skill or a command, "instructions" the host gave them
    between messages.
    """

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
        """True for the user's own words."""
        return not (self.source or self.voice or self.text.media)

    @property
    def ahead(self) -> bool:
        """True for lines that were read ahead."""
        return bool(self.source and (self.field or self.text.lines) and not self.call)


class PagedIn(Struct, frozen=True, gc=False, omit_defaults=True, tag="paged"):
    """Lines that were read ahead, shown behind the results of the step that touched them.

    `ref` is the page or entry they are of, `field` which call or argument of an entry, `path` the
    file as its call named it. `text.tokens` counts them with their heading.
    """

    ref: str
    text: Text
    path: str = ""
    field: str = ""


# The parts of the step whose calls were asked for last, and those calls.
_last_calls: list[tuple[tuple[Part, ...], tuple[Call, ...]]] = [((), ())]


class Step(Struct, frozen=True, gc=False, omit_defaults=True, tag="step"):
    """One model reply with its calls and all of their results (the atom of history).

    `parts` keeps the order of the provider's blocks. `outcomes` come in the order of arrival.
    `open` names the calls that still wait for a result. `tokens` counts what is shown now.
    `page` holds the whole reply when it was too large to enter as it is. `beside` was read ahead.
    `cut`: the reply ended at a limit, before it answered or in its answer. `paused`: its provider
    goes on with it when it is sent back, and takes nothing behind it but results of its calls.
    """

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
        """The results in the order of their calls, as a request holds them."""
        order = {call.id: at for at, call in enumerate(self.calls)}
        return sorted(self.outcomes, key=lambda outcome: order[outcome.call_id])

    @property
    def failed(self) -> bool:
        """True when any result of this step is an error of its tool."""
        return any(outcome.error and not outcome.stand_in for outcome in self.outcomes)


class Digest(Struct, frozen=True, gc=False, omit_defaults=True, tag="digest"):
    """Stands for folded entries from `first` to `last`; `page` lists every one of them.

    Entries between the two may still stand in the window, behind it. `told`: a model's summary of
    them is among the facts; it shows in the digest of the next cut.
    """

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
    """A text Loom placed in the stream between cuts; frozen there, gone at the next cut.

    `partition` says whose it is: a dashboard or its delta is `working`; instructions, memory and
    skills that arrive between cuts stand here until they join their partition. `quoted`: all behind
    its first line is another's text, each line quoted.
    """

    partition: str
    text: str
    tokens: int
    quoted: bool = False


Entry = UserTurn | Step | Digest
Item = UserTurn | Step | Digest | Notice


def name_of(entry: Entry) -> str:
    """The readable name of an entry, as lines show it and `page_in` accepts it: `step_0007`."""
    kind = {UserTurn: "user", Step: "step", Digest: "digest"}[type(entry)]
    return f"{kind}_{entry.id:04d}"

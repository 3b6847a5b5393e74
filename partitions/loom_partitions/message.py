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
    """How much of an entry is shown: all of it (FULL) down to one line. Compression only lowers it.

    >>> loom.Detail.COMPACT > loom.Detail.FULL
    True"""

    FULL = 0  # every byte as the provider gave it
    SNIPPED = 1  # still call and result, some texts shortened to head, tail and page
    REDUCED = 2  # one line: the tool's observation, minimal arguments, page
    COMPACT = 3  # one templated line
    # An entry below COMPACT is not in the window: a Digest stands for it.


class Attachment(Struct, frozen=True, gc=False, omit_defaults=True):
    """An image or a document, sent beside a line of text that describes it.

    `type` is its MIME type, `tokens` its cost by the provider's formula, without the line. Its
    bytes rest on the page of the Text it belongs to. With a `format` that page holds a part of a
    request in that format instead, since the bytes lie elsewhere (a URL, a file's id). `detail` is
    how closely a model looks, where its provider has such an option. `side` is the longer side of
    an image in pixels, `pages` the number of pages of a PDF, 0 where unknown. `of` is the page of
    the whole document when this attachment is only some of its pages."""

    type: str
    tokens: int
    detail: str = ""
    format: str = ""
    side: int = 0
    pages: int = 0
    of: str = ""


class Text(Struct, frozen=True, gc=False, omit_defaults=True):
    """An immutable, counted text: its body, or the page that holds it.

    - `body` None: the whole text is shown, and is read from `page` when a request is made.
    - `body` set, `page` empty: the body is the whole text.
    - Both set: the body is a shortened form, `page` names the page of the whole.

    `tokens` counts what is shown; `size` is the size of the whole in UTF-8 bytes. `lines` are the
    (first, last) lines of the whole, from 1, that a shortened body shows; () when the body is not a
    choice of lines. With `media` the whole is an image or a document; the body is a line that
    describes it, and `size` is that of its bytes, 0 when they lie elsewhere. `marked`: some lines
    of the body are Loom's own and bear the session's mark. `own` names a format: the page then
    holds blocks of that format which Loom does not know, as the JSON `{"format", "part"}`; that
    format gets these blocks in place of the text while the text is shown whole."""

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
        """True when the text is shown whole, not in a shortened form."""
        return self.body is None or not self.page or self.media is not None


class Said(Struct, frozen=True, gc=False, tag="said"):
    """Text that the model wrote for its reader: one block of its reply."""

    text: Text


class Thought(Struct, frozen=True, gc=False, omit_defaults=True, tag="thought"):
    """Reasoning of the model. `opaque` is the provider's own JSON block, sent back verbatim, and
    only in `format`.

    A thought without `opaque` is kept in the journal and never sent. An `unbound` thought does not
    depend on the text before it (reasoning nobody signed, other blocks of a provider): it is kept
    as long as its step, while other thoughts leave when that text changes."""

    text: str = ""
    opaque: str = ""
    format: str = ""
    tokens: int = 0
    unbound: bool = False


class Call(Struct, frozen=True, gc=False, omit_defaults=True, tag="call"):
    """A tool call: `arguments` is the JSON text as the provider gave it (perhaps not valid JSON).

    `tokens` counts name, id, arguments and the overhead of a call. `page` names the page with the
    whole arguments when those shown are shortened. `redacted`: a secret in the arguments was
    replaced before they were recorded, so the call cannot be run as it stands here.

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
        """The arguments by name. Raises ValueError for text that is no JSON object."""
        return json.decode(self.arguments, type=dict[str, Any]) if self.arguments.strip() else {}


Part = Said | Thought | Call


def thought_tokens(parts: Iterable[Part]) -> int:
    """Return the tokens of all reasoning among the parts of a reply."""
    return sum(part.tokens for part in parts if isinstance(part, Thought))


class Reduction(Struct, frozen=True, gc=False, omit_defaults=True):
    """A tool result in its shortest form: what is needed to go on, and where the rest is.

    `tool` is the canonical name (`fs:read_file`), `minimal_args` holds the small scalar arguments,
    `observation` is one line on the result, `outcome_ref` is the page of the full result or "",
    `compact` is call and result as one line."""

    tool: str
    minimal_args: dict[str, str | int | float | bool | None]
    observation: str
    compact: str
    outcome_ref: str = ""


class Outcome(Struct, frozen=True, gc=False, omit_defaults=True):
    """The result of one call: its text, whether it failed, and its reduced form.

    `stand_in` is True for Loom's own text for an interrupted call; the real result may still come.
    """

    call_id: str
    text: Text
    reduction: Reduction
    error: bool = False
    stand_in: bool = False


class UserTurn(Struct, frozen=True, gc=False, omit_defaults=True, tag="user"):
    """One message of the user. `line` is shown at REDUCED and below.

    `source` is set when Loom put the turn there: the name of the page or entry its text is of.
    Lines that were read ahead, of the file `about` or the `field` of an entry, leave without a
    line, since what they show rests there. A turn with a `call` is the late result of that call;
    `about` then names what was called. `voice` says whose words they are: "" the user typed them,
    "observation" a host gave a tool's result this way, "summary" a client summed up what went
    before, "document" a file was attached, "skill" a client gave the body of a skill or command,
    "instructions" the host gave them between messages."""

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
        """True for lines of a page or entry that Loom read ahead of the model's asking."""
        return bool(self.source and (self.field or self.text.lines) and not self.call)


class PagedIn(Struct, frozen=True, gc=False, omit_defaults=True, tag="paged"):
    """Lines that Loom read ahead, shown after the results of the step that led to them.

    `ref` is the page or entry the lines are from, `field` the call or argument of that entry,
    `path` the file as its call named it. `text.tokens` counts the lines with their heading."""

    ref: str
    text: Text
    path: str = ""
    field: str = ""


# The parts of the step whose calls were asked for last, and those calls.
_last_calls: list[tuple[tuple[Part, ...], tuple[Call, ...]]] = [((), ())]


class Step(Struct, frozen=True, gc=False, omit_defaults=True, tag="step"):
    """One model reply with its calls and all of their results (the atom of history).

    `parts` keeps the order of the provider's blocks, `outcomes` the order of arrival. `open` are
    the ids of calls that still wait for a result. `tokens` counts what is shown now. `page` holds
    the whole reply when it was too large to enter. `beside` holds lines that were read ahead.
    `cut`: the reply ended at a limit. `paused`: the provider goes on with the reply once it is sent
    back, and accepts nothing behind it but results of its calls."""

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
        """True when a tool of this step returned an error. Loom's own text for a missing result is
        none."""
        return any(outcome.error and not outcome.stand_in for outcome in self.outcomes)


class Digest(Struct, frozen=True, gc=False, omit_defaults=True, tag="digest"):
    """The text that stands for the folded entries `first` to `last`; `page` lists all of them.

    Some entries between the two may still be in the window, after the digest. `told`: a model has
    summed up the entries; the summary is among the facts, and is shown from the next cut on."""

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
    """A text that Loom put into the stream between two cuts; it stays as it is until the next cut
    removes it.

    `partition` says where the text belongs: `working` for a dashboard or its changes; instructions,
    memory and skills that come between cuts are shown here until a cut moves them to their
    partition. `quoted`: the text after the first line is another's, shown as a quote."""

    partition: str
    text: str
    tokens: int
    quoted: bool = False


Entry = UserTurn | Step | Digest
Item = UserTurn | Step | Digest | Notice


def name_of(entry: Entry) -> str:
    """Return the readable name of an entry, by which the model can page it in: `step_0007`."""
    kind = {UserTurn: "user", Step: "step", Digest: "digest"}[type(entry)]
    return f"{kind}_{entry.id:04d}"

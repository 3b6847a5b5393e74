"""Records: everything that happens to a window, in the past tense.

*Inputs*, here, are what came from outside; *decisions* (`loom_partitions.decisions`) are what the
engine chose, recorded with their results, so that a replay needs no model, no clock and no
vocabulary. Token counts, shortened texts and page names are all in the record.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from loom_partitions.decisions import Certificate as Certificate
from loom_partitions.decisions import Compressed as Compressed
from loom_partitions.decisions import Faulted as Faulted
from loom_partitions.decisions import Marked as Marked
from loom_partitions.decisions import Pinned as Pinned
from loom_partitions.decisions import Renewed as Renewed
from loom_partitions.decisions import Turned as Turned
from loom_partitions.limits import Budget, Limits, Scale
from loom_partitions.message import Fact, Notice, Outcome, Step, Text, UserTurn
from loom_partitions.working import Event, Evidence, PlanItem


class Opened(Struct, frozen=True, tag="Opened"):
    """A workspace was opened for the first time. `policy` is the engine's, opaque here.

    `encoding` names what tokens were counted with, and `key` is the workspace's own, by which a
    provider may route to its cache.
    `depth` is 0 for an agent nobody spawned; a child has the `budget` it was given.
    """

    limits: Limits
    policy: dict[str, Any]
    model: str = ""
    depth: int = 0
    encoding: str = ""
    key: str = ""
    budget: Budget | None = None


class Tasked(Struct, frozen=True, tag="Tasked"):
    """The goal was set or changed."""

    goal: Text


class Instructed(Struct, frozen=True, tag="Instructed"):
    """The harness gave instructions or an example (`key`); they belong to the system partition."""

    key: str
    text: Text
    notice: Notice


class Declared(Struct, frozen=True, tag="Declared"):
    """A tool was declared: `text.body` is its JSON schema document."""

    name: str
    text: Text
    notice: Notice


class Remembered(Struct, frozen=True, tag="Remembered"):
    """A memory text was loaded or changed (an AGENTS.md, a note)."""

    key: str
    text: Text
    notice: Notice


class Forgotten(Struct, frozen=True, tag="Forgotten"):
    """A memory text is gone."""

    key: str
    notice: Notice


class SkillActivated(Struct, frozen=True, tag="SkillActivated"):
    """A skill's catalogue line or body came in."""

    key: str
    text: Text
    notice: Notice


class SkillDropped(Struct, frozen=True, tag="SkillDropped"):
    """A skill's text went out."""

    key: str
    notice: Notice


class SkillUsed(Struct, frozen=True, tag="SkillUsed"):
    """A skill that stands in the window was asked for again."""

    key: str


class Saved(Struct, frozen=True, tag="Saved"):
    """Something became a memory that outlives the session: its id and key, and where it is from."""

    id: int
    key: str
    source: str


class Recalled(Struct, frozen=True, tag="Recalled"):
    """Memories of earlier sessions were brought in."""

    ids: tuple[int, ...]


class Heard(Struct, frozen=True, tag="Heard"):
    """The user said something."""

    turn: UserTurn


class Replied(Struct, frozen=True, tag="Replied"):
    """The model replied; `step` waits for the results of its calls."""

    step: Step
    model: str = ""


class Returned(Struct, frozen=True, tag="Returned"):
    """A call's result arrived. `tokens` is what the result adds, overhead included.

    `facts` are the step's, those of this result added.
    """

    step: int
    outcome: Outcome
    tokens: int
    facts: tuple[Fact, ...] = ()


class Belated(Struct, frozen=True, tag="Belated"):
    """The real result of `call_id` came after a stand-in was given: it is appended as a turn."""

    call_id: str
    turn: UserTurn


class Prefetched(Struct, frozen=True, tag="Prefetched"):
    """Lines that had left the window were read ahead, because the last step touched them."""

    turn: UserTurn


class Planned(Struct, frozen=True, tag="Planned"):
    """The plan was written."""

    items: tuple[PlanItem, ...]


class Progressed(Struct, frozen=True, tag="Progressed"):
    """The model assessed its progress towards the goal."""

    text: str


class Noted(Struct, frozen=True, tag="Noted"):
    """The scratchpad was written."""

    text: Text


class Questioned(Struct, frozen=True, tag="Questioned"):
    """A question was opened, or answered (`text` empty)."""

    id: str
    text: str


class Evidenced(Struct, frozen=True, tag="Evidenced"):
    """An evidence pack was put on the knowledge surface."""

    evidence: Evidence


class Signalled(Struct, frozen=True, tag="Signalled"):
    """An event was detected and projected into C_working."""

    event: Event


class Acknowledged(Struct, frozen=True, tag="Acknowledged"):
    """An event got its disposition; `summary` and `urgency` are its own, "" when not known."""

    id: str
    disposition: str
    summary: str = ""
    urgency: str = ""


class Requested(Struct, frozen=True, tag="Requested"):
    """The model asked for something the next turn has to do: `what` is "compact"."""

    what: str


class Metered(Struct, frozen=True, tag="Metered"):
    """The provider reported the size of the last request, in its tokens.

    `tokens` is that request as Loom counted it, its attachments at what they were charged; `scale`
    what all reports together lead to.
    """

    prompt_tokens: int
    model: str = ""
    tokens: int = 0
    scale: Scale = Scale()


class Overflowed(Struct, frozen=True, tag="Overflowed"):
    """The provider refused a request as too long; `limit` is what it said, 0 when it did not."""

    limit: int


class Resized(Struct, frozen=True, tag="Resized"):
    """The window's sizes changed."""

    limits: Limits
    model: str = ""


class Spawned(Struct, frozen=True, tag="Spawned"):
    """A child was called into being: its name, its goal as a line, the page of all it is given.

    `call` is the call of the model it answers, "" for none.
    """

    child: str
    goal: str
    page: str
    call: str = ""


class Joined(Struct, frozen=True, tag="Joined"):
    """The result of a child was taken in, once: its status, and the sha256 of what it says."""

    child: str
    status: str
    sha256: str


class Delivered(Struct, frozen=True, tag="Delivered"):
    """This agent has given its result to the one it works for: status, sha256 of the capsule."""

    status: str
    sha256: str


class Answered(Struct, frozen=True, tag="Answered"):
    """The host's model has summed up what the digest with that `page` stands for, in `lines`."""

    page: str
    lines: tuple[str, ...]


class Finished(Struct, frozen=True, tag="Finished"):
    """The task ended; C_working is cleared, its snapshot kept."""

    outcome: str
    snapshot: str


class Redacted(Struct, frozen=True, tag="Redacted"):
    """Secrets were replaced before anything was hashed or written: kind → how many."""

    counts: dict[str, int]


Record = (
    Opened
    | Tasked
    | Instructed
    | Declared
    | Remembered
    | Forgotten
    | SkillActivated
    | SkillDropped
    | SkillUsed
    | Saved
    | Recalled
    | Heard
    | Replied
    | Returned
    | Belated
    | Prefetched
    | Planned
    | Progressed
    | Noted
    | Questioned
    | Evidenced
    | Signalled
    | Acknowledged
    | Requested
    | Metered
    | Overflowed
    | Resized
    | Spawned
    | Joined
    | Delivered
    | Answered
    | Finished
    | Redacted
    | Compressed
    | Renewed
    | Turned
    | Marked
    | Faulted
    | Pinned
)

"""The document of a snapshot: all that an agent needs to carry on in another place.

It is versioned JSON with the members of C_working as the design names them, every text whole; of a
long scratchpad it holds the end, and the names of the pages with all of it. It also has the pinned
lines, the digest, a line for each entry beside the digest, and an index of the pages that all these
texts name. Other pages are only counted, so the snapshots of a long session do not grow with it. A
snapshot of an earlier Loom is C_working alone, as the window held it."""

from __future__ import annotations

from hashlib import sha256
from itertools import chain
from typing import Annotated, TypeVar

from msgspec import DecodeError, Meta, Struct, ValidationError, convert, json
from msgspec.structs import replace

from loom.errors import BadInput
from loom.lazy import lazy_re
from loom.providers.render.dashboard import Dashboard
from loom.session.archive.page_reader import UNREADABLE
from loom.session.archive.workspace import Workspace
from loom.text import one_line
from loom_paging import check_disk
from loom_paging.page import fetch
from loom_partitions.surfaces import DISPOSITIONS, LATER, URGENCIES, Child, Evidence, PlanItem, Risk
from loom_partitions.working import Working

STATES = ("todo", "doing", "done")  # of an item of the plan
VERSION = 1
VERSION_KEY = "loom_snapshot"
UNSEALED = "0" * 64
PAGES_MOST = 10_000  # pages an index names
RENEWAL, FINISH = "renewal", "finish"  # what a snapshot was taken at
NAME = lazy_re(r"[a-z0-9-]_[0-9]{1,15}")  # of a page: its number, and what ends its kind
PAGE = lazy_re(r"outputs/([a-z0-9-]+)_[0-9]{1,15}(?:\.[a-z0-9]+)*")
# A seal says that nobody changed a snapshot by accident, not who made it. So each value that is
# used as a number or a name is in the range Loom itself keeps to, no list longer than one of
# Loom's: what is carried on costs as much as a snapshot's size and no more.
MOST = 10**9  # entries, generations of a session
Count = Annotated[int, Meta(ge=0, le=MOST)]
Number = Annotated[int, Meta(ge=1, le=MOST)]
Name = Annotated[str, Meta(pattern=r"\S")]
PageName = Annotated[str, Meta(pattern=r"^outputs/[a-z0-9-]+_0*[0-9]{1,9}(\.[a-z0-9]+)*\Z")]
PageSize = Annotated[int, Meta(ge=0, le=1 << 40)]  # bytes
Item = TypeVar("Item")
Items = Annotated[tuple[Item, ...], Meta(max_length=5_000)]  # those that found no room too

STORED = ("goal_progress", "depth", "interrupt_requested")  # in C_working too


def bad_snapshot(where: str, why: str) -> BadInput:
    """Return the error that the file `where` cannot be used as a snapshot. `why` is the reason."""
    return BadInput(
        f"{where} is no snapshot that can be carried on from: {why}. Give one that Loom wrote,"
        " such as runs/auth/snapshots/working_0001.json; nothing was made"
    )


class UnsettledEvent(Struct, frozen=True):
    """An event that nobody has acknowledged yet."""

    id: Name
    kind: str
    summary: str
    urgency: str


class OpenQuestion(Struct, frozen=True):
    """A question that nobody has answered yet."""

    id: Name
    text: str


class EventDecision(Struct, frozen=True):
    """The model's decision on an event: its disposition ("resolved", "defer" …). `id` is the
    event's id."""

    id: Name
    disposition: str
    kind: str = ""
    summary: str = ""
    urgency: str = "normal"


class EventSurface(Struct, frozen=True):
    """The pending events and the active risks, each in full."""

    pending_events: Items[UnsettledEvent] = ()
    active_risks: Items[Risk] = ()


class KnowledgeSurface(Struct, frozen=True):
    """The open questions and evidence packs. Items that the window has no room for come first."""

    active_questions: Items[OpenQuestion] = ()
    evidence_packs: Items[Evidence] = ()


class DigestText(Struct, frozen=True):
    """All digests in a window, as one text for the entries from `first` to `last`. `steps`, `users`
    and `failures` count the steps, user's messages and failures among these entries. `page` lists
    the entries of the last digest."""

    text: str
    first: int
    last: int
    steps: int
    users: int
    failures: int
    page: str


class StandingEntry(Struct, frozen=True):
    """An entry in the window that no digest stands for, described in one `line`. `user` is True
    when a user typed the entry."""

    name: str
    line: str
    pinned: bool = False
    user: bool = False


class IndexedPage(Struct, frozen=True):
    """A page that a snapshot names in its index. `size` is in bytes."""

    name: PageName
    kind: str
    size: PageSize
    sha256: str


class Snapshot(Struct, frozen=True, kw_only=True, rename={"version": VERSION_KEY}):
    """C_working and the rest of a session's state. `reason` is "renewal", or "finish" for a
    snapshot taken at the end of a task.

    `sha256` is a hash of the document. `next_id` is the id that the next entry would have got.
    `errors` are the ids of steps that failed lately. `pages` are the pages named in the texts, and
    the newest page; `others` counts all other pages. `earlier` tells what earlier sessions left.
    `working` is C_working, with page names in place of long texts."""

    version: int = VERSION
    sha256: str = UNSEALED
    reason: str = RENEWAL
    generation: Number = 1
    turn: Count = 0
    next_id: Number = 1
    model: str = ""
    encoding: str = ""
    window: int = 0
    reply: int = 0
    dashboard: Dashboard
    goal: str = ""
    plan: Items[PlanItem] = ()
    event_surface: EventSurface = EventSurface()
    knowledge_surface: KnowledgeSurface = KnowledgeSurface()
    scratchpad: str = ""
    decisions: Items[EventDecision] = ()
    children: Items[Child] = ()
    errors: Items[Count] = ()
    pins: Items[str] = ()
    digest: DigestText | None = None
    standing: tuple[StandingEntry, ...] = ()
    pages: Annotated[tuple[IndexedPage, ...], Meta(max_length=PAGES_MOST)] = ()
    others: Count = 0
    earlier: str = ""
    working: Working = Working()


def snapshot_bytes(snapshot: Snapshot) -> bytes:
    """Return a snapshot as JSON bytes; equal snapshots have equal bytes."""
    # The hash is computed with 64 zeros in its place.
    data = json.format(json.encode(replace(snapshot, sha256=UNSEALED)), indent=1)
    return data.replace(UNSEALED.encode(), sha256(data).hexdigest().encode(), 1)


def indexed_page(name: str, size: int, sha256: str) -> IndexedPage | None:
    """Return a page for a snapshot's index. None for a name that no page of an output can have."""
    made = PAGE.fullmatch(name)
    return IndexedPage(name, made[1], size, sha256) if made else None


def parse_snapshot(data: bytes, where: str = "it") -> Snapshot | Working:
    """Return the snapshot in a file's bytes, or C_working for a snapshot of an early Loom. `where`
    names the file in errors. Raises BadInput."""
    try:
        held = json.decode(data)
    except (DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise bad_snapshot(where, f"it is no JSON ({error})") from error
    if not isinstance(held, dict):
        raise bad_snapshot(where, "it holds no members")
    version = held.get(VERSION_KEY)
    if version is None:
        return _read_earlier_working(held, where)
    if type(version) is not int or not 1 <= version <= VERSION:
        raise bad_snapshot(
            where, f"it is of version {str(version)[:20]}, and this Loom reads up to {VERSION}"
        )
    try:
        made = convert(held, Snapshot)
    except ValidationError as error:
        raise bad_snapshot(where, f"a member is not as it should be ({error})") from error
    bare = data.replace(made.sha256.encode(), UNSEALED.encode(), 1)
    if sha256(bare).hexdigest() != made.sha256:
        raise bad_snapshot(where, "it was changed since: its sha256 is another")
    return made


def _read_earlier_working(held: dict[str, object], where: str) -> Working:
    """Return C_working from `held`, the decoded JSON of an early snapshot. Raises BadInput."""
    strange = [name for name in held if name not in Working.__struct_fields__]
    if strange:
        raise bad_snapshot(where, f"it has a member {strange[0][:80]!r}, which no snapshot has")
    try:
        return convert(held, Working)
    except ValidationError as error:
        raise bad_snapshot(where, f"a member is not as it should be ({error})") from error


def check_plausible(made: Snapshot, where: str) -> None:
    """Raise BadInput for a snapshot that is empty or has a value that Loom never writes."""
    events, known = made.event_surface, made.knowledge_surface
    spoken: tuple[Risk | EventDecision, ...] = (*events.active_risks, *made.decisions)
    dated: tuple[UnsettledEvent | Risk | EventDecision, ...] = (*events.pending_events, *spoken)
    named: tuple[Risk | Evidence, ...] = (*events.active_risks, *known.evidence_packs)
    words = chain(
        ((item.state, STATES) for item in made.plan),
        ((one.urgency, URGENCIES) for one in dated),
        ((one.disposition, (*DISPOSITIONS, *LATER)) for one in spoken),
    )
    wrong = [
        f"{word!r} is none of {', '.join(those)}" for word, those in words if word not in those
    ]
    if not made.sha256.strip("0") and made == Snapshot(dashboard=made.dashboard):
        wrong.append("it holds nothing")
    if any(id >= made.next_id for id in made.errors):
        wrong.append("errors names a step there was not")
    if len({page.name for page in made.pages}) < len(made.pages):
        wrong.append("it names a page twice")
    if any(not one_line(one.id, 10) for one in named):
        wrong.append("an id has no letters")
    if any(not 0 <= pack.confidence <= 1 for pack in known.evidence_packs):
        wrong.append("the confidence of evidence is not from 0 to 1")
    if wrong:
        raise bad_snapshot(where, one_line(wrong[0], 200))


class SnapshotDisagreement(Struct, frozen=True):
    """A difference, described by `what`, between the newest snapshot and the journal.

    `damaged` is True when the snapshot is damaged or missing, False when its content differs.
    `snapshot` is its file, `commit` the commit that names the snapshot."""

    snapshot: str
    commit: int
    what: str
    damaged: bool

    def __str__(self) -> str:
        return (
            f"snapshot {self.snapshot} and commit {self.commit} of the journal, which names it, do"
            f" not agree: {self.what}. The journal stands; `loom check` names all damage"
        )


def snapshot_disagreement(workspace: Workspace) -> SnapshotDisagreement | None:
    """Return how the newest snapshot differs from the journal; None without a difference or
    snapshot."""
    if workspace.folded.snapshotted is None:
        return None
    commit, name, working = workspace.folded.snapshotted
    ref = workspace.pager.table.get(name)
    if name in workspace.pager.retired:  # a repair told of it
        return None
    if ref is None:
        return SnapshotDisagreement(name, commit, "no commit has it among its pages", damaged=True)
    try:
        made = parse_snapshot(fetch(workspace.store, ref), name)
    except UNREADABLE as error:
        check_disk(error)
        return SnapshotDisagreement(name, commit, str(error), damaged=True)
    except BadInput as error:
        return SnapshotDisagreement(name, commit, str(error), damaged=False)
    held = made if isinstance(made, Working) else made.working
    differ = [
        name for name in Working.__struct_fields__ if getattr(held, name) != getattr(working, name)
    ]
    if isinstance(made, Snapshot):
        shown, stored = made.dashboard, (working.progress, working.depth, working.interrupt)
        pairs = zip(STORED, stored, strict=True)
        differ += [f"dashboard.{name}" for name, one in pairs if getattr(shown, name) != one]
    if not differ:
        return None
    what = f"{', '.join(differ)} {'is' if len(differ) == 1 else 'are'} not as the journal folds"
    return SnapshotDisagreement(name, commit, what, damaged=False)

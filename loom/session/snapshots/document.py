"""The document of a snapshot: all that is needed to carry on in another place.

Versioned JSON with the members of C_working as the design names them, every text whole (of a long
scratchpad the newest, and the names of the pages that hold all), and beside them what stood around
it: pinned lines, the digest, the entries left standing, an index of the pages these texts name. The
others are counted, so a long session's snapshots do not grow with it: its journal lists them. A
snapshot of an earlier Loom is C_working alone, as the window held it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha256

from msgspec import DecodeError, Struct, ValidationError, convert, json
from msgspec.structs import replace

from loom.errors import BadInput
from loom.lazy import lazy_re
from loom.providers.render.dashboard import Dashboard
from loom_partitions.surfaces import Child, Evidence, PlanItem, Risk
from loom_partitions.working import Working

VERSION = 1
VERSION_KEY = "loom_snapshot"
UNSEALED = "0" * 64
PAGES_MOST = 10_000  # pages an index names
RENEWAL, FINISH = "renewal", "finish"  # what a snapshot was taken at
NAME = lazy_re(r"[a-z0-9-]_[0-9]{1,15}")  # of a page: its number, and what ends its kind
_KIND = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
PAGE = lazy_re(r"outputs/([a-z0-9-]+)_[0-9]{1,15}(?:\.[a-z0-9]+)*")


def bad_snapshot(where: str, why: str) -> BadInput:
    """The error for a file that is no snapshot, or one that is damaged."""
    return BadInput(
        f"{where} is no snapshot that can be carried on from: {why}. Give one that Loom wrote,"
        " such as runs/auth/snapshots/working_0001.json; nothing was made"
    )


class UnsettledEvent(Struct, frozen=True):
    """An event nobody has acknowledged yet."""

    id: str
    kind: str
    summary: str
    urgency: str


class OpenQuestion(Struct, frozen=True):
    """An open question."""

    id: str
    text: str


class Decided(Struct, frozen=True):
    """A decision about an event, and the event's id."""

    id: str
    disposition: str
    kind: str = ""
    summary: str = ""
    urgency: str = "normal"


class EventSurface(Struct, frozen=True):
    """Pending events and active risks, one by one."""

    pending_events: tuple[UnsettledEvent, ...] = ()
    active_risks: tuple[Risk, ...] = ()


class KnowledgeSurface(Struct, frozen=True):
    """Open questions and evidence packs, those that found no room first."""

    active_questions: tuple[OpenQuestion, ...] = ()
    evidence_packs: tuple[Evidence, ...] = ()


class DigestText(Struct, frozen=True):
    """The digest as it stands: of entries `first` to `last`, which `page` lists."""

    text: str
    first: int
    last: int
    steps: int
    users: int
    failures: int
    page: str


class StandingEntry(Struct, frozen=True):
    """An entry the digest does not tell of, as one line; `user` where the user typed it."""

    name: str
    line: str
    pinned: bool = False
    user: bool = False


class IndexedPage(Struct, frozen=True):
    """A page of the workspace: its size is in bytes."""

    name: str
    kind: str
    size: int
    sha256: str


class Snapshot(Struct, frozen=True, kw_only=True, rename={"version": VERSION_KEY}):
    """C_working and what stands around it, at a renewal or at the end of a task.

    `sha256` seals the rest. `next_id` is the number the next entry would have had, `errors` are
    the steps that failed lately, `pages` those its texts name and the newest, `others` how many
    more there were, `earlier` is what the sessions before left where this one was carried on,
    `working` is C_working as the window held it, its long texts by the name of their page.
    """

    version: int = VERSION
    sha256: str = UNSEALED
    reason: str = RENEWAL
    generation: int = 1
    turn: int = 0
    next_id: int = 1
    model: str = ""
    encoding: str = ""
    window: int = 0
    reply: int = 0
    dashboard: Dashboard
    goal: str = ""
    plan: tuple[PlanItem, ...] = ()
    event_surface: EventSurface = EventSurface()
    knowledge_surface: KnowledgeSurface = KnowledgeSurface()
    scratchpad: str = ""
    decisions: tuple[Decided, ...] = ()
    children: tuple[Child, ...] = ()
    errors: tuple[int, ...] = ()
    pins: tuple[str, ...] = ()
    digest: DigestText | None = None
    standing: tuple[StandingEntry, ...] = ()
    pages: tuple[IndexedPage, ...] = ()
    others: int = 0
    earlier: str = ""
    working: Working = Working()


def written(snapshot: Snapshot) -> bytes:
    """The bytes of a snapshot: the same for the same one. They hold their own sha256, made with
    noughts in its place."""
    data = json.format(json.encode(replace(snapshot, sha256=UNSEALED)), indent=1)
    return data.replace(UNSEALED.encode(), sha256(data).hexdigest().encode(), 1)


def names_in(snapshot: Snapshot) -> frozenset[str]:
    """The names of pages, without folder and ending, that may stand in the texts of a snapshot."""
    said = json.encode(replace(snapshot, pages=())).decode()
    return frozenset(_names(re.sub(r"\\.", " ", said)))  # "\n" is no letter of a name


def _names(text: str) -> Iterator[str]:
    """The names in a text, in order. From each number back to where its kind begins: a pattern of
    the whole would begin anew at every letter of a long word."""
    end = 0
    while found := NAME.search(text, end):
        start = found.start()
        while start > end and text[start - 1] in _KIND:
            start -= 1
        end = found.end()
        yield text[start:end]


def indexed(name: str, size: int, sha256: str) -> IndexedPage | None:
    """A page as the index has it; None for a name that is no page's."""
    made = PAGE.fullmatch(name)
    return IndexedPage(name, made[1], size, sha256) if made else None


def read(data: bytes, where: str = "it") -> Snapshot | Working:
    """The snapshot in a file, or the C_working one of an earlier Loom holds. Raises BadInput."""
    try:
        held = json.decode(data)
    except (DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise bad_snapshot(where, f"it is no JSON ({error})") from error
    if not isinstance(held, dict):
        raise bad_snapshot(where, "it holds no members")
    version = held.get(VERSION_KEY)
    if version is None:
        return _earlier_working(held, where)
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
    odd = next((page.name for page in made.pages if not PAGE.fullmatch(page.name)), None)
    if odd is not None:
        raise bad_snapshot(where, f"{odd[:80]!r} is the name of no page")
    return made


def _earlier_working(held: dict[str, object], where: str) -> Working:
    """C_working alone, as an earlier Loom wrote it."""
    strange = [name for name in held if name not in Working.__struct_fields__]
    if strange:
        raise bad_snapshot(where, f"it has a member {strange[0][:80]!r}, which no snapshot has")
    try:
        return convert(held, Working)
    except ValidationError as error:
        raise bad_snapshot(where, f"a member is not as it should be ({error})") from error

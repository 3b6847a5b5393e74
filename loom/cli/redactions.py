"""How many secrets were replaced in a workspace, by place and by kind, and how many purged later.

The journal counts those of each commit by kind; the place is told by the records beside the count.
What never came through the engine's own door is counted as it rests: the events of the bus, and
messages of the inbox by the signals they became.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, json

from loom.engine.archive.decode import records_of
from loom.engine.archive.workspace import Workspace
from loom.errors import LoomError
from loom.lazy import lazy_re
from loom.rewrite.homes import agents_in
from loom.rewrite.purge_report import summed
from loom.rewrite.secrets import KIND
from loom_partitions import records as r

BUS = "bus"
BELOW = "agents below"
OFF = "redaction was off (redact=())"
_MARK = lazy_re(rb"\[redacted:([^\]\s\"\\]{1,80})\]")
# Record → the place of what it took in; the first of a commit that fits counts.
PLACES: dict[type, str] = {
    r.Returned: "result",
    r.Belated: "result",
    r.Heard: "user",
    r.Prefetched: "attachment",
    r.Replied: "reply",
    r.Instructed: "system",
    r.Remembered: "guide",
    r.SkillActivated: "skill",
    r.Declared: "tool",
    r.Saved: "memory",
    r.Signalled: "message",
    r.Noted: "note",
    r.Planned: "plan",
    r.Progressed: "plan",
    r.Questioned: "question",
    r.Evidenced: "evidence",
    r.Tasked: "goal",
    r.Spawned: "spawn",
    r.Joined: "agent result",
    r.Delivered: "agent result",
    r.Opened: "opening",
    r.Resized: "opening",
    r.Finished: "outcome",
}
OTHER = "other"
Counts = dict[str, dict[str, int]]
_TOLD = lazy_re(rb"[rR]edacted|Purged")


class RedactionCounts(Struct, frozen=True):
    """How many secrets were replaced as they came, and how many were purged later, in a tree.

    `redacted` is by place, then by kind; `purged` has `kinds` and `places`, or nothing. All are
    sorted by name. `off` is True where an opening of the workspace replaced none, `unread` names
    agents below that could not be read.
    """

    redacted: Counts
    purged: Counts
    off: bool = False
    unread: tuple[str, ...] = ()


def redactions(workspace: Workspace, folder: Path) -> RedactionCounts:
    """Return the counts of a workspace, those of all agents below it under one place of theirs."""
    found, purged = _own(workspace, folder)
    off, unread = workspace.window.sent.unredacted, list[str]()
    for below in [*agents_in(folder)][1:]:
        try:
            theirs, later = _own(Workspace.at_path(below, write=False), below)
        except (LoomError, OSError):
            unread.append(below.relative_to(folder).as_posix())
            continue
        for kind, times in summed(theirs.values()).items():
            _add(found, BELOW, kind, times)
        if later:
            purged = {key: summed((purged.get(key, {}), later[key])) for key in later}
    redacted = {place: dict(sorted(found[place].items())) for place in sorted(found)}
    return RedactionCounts(redacted, purged, off, tuple(unread))


def _own(workspace: Workspace, folder: Path) -> tuple[Counts, Counts]:
    """Return the counts of one workspace: as they came, and purged."""
    found: Counts = {}
    purges: list[r.Purged] = []
    for commit in workspace.journal.scan():
        if not _TOLD.search(bytes(commit.records)):
            continue
        records = records_of(commit)
        purges += (one for one in records if isinstance(one, r.Purged))
        counted = [one for one in records if isinstance(one, r.Redacted) and not one.off]
        for one in counted:
            for kind, times in one.counts.items():
                _add(found, _place(records, kind), kind, times)
        if not counted:
            signals = (one for one in records if isinstance(one, r.Signalled))
            _marks(found, PLACES[r.Signalled], map(json.encode, signals))
    _marks(found, BUS, _events(folder))
    kinds, places = summed(one.counts for one in purges), summed(one.places for one in purges)
    return found, {"kinds": kinds, "places": places} if purges else {}


def lines_of(told: RedactionCounts) -> list[tuple[str, str]]:
    """Return the counts as labelled lines: by kind, then by place, and the same of purges."""
    places = {place: sum(kinds.values()) for place, kinds in told.redacted.items()}
    said = [_listed(summed(told.redacted.values())), OFF if told.off else ""]
    rows = [("redacted", "; ".join(filter(None, said)) or "none")]
    if places:
        rows.append(("  where", _listed(places)))
    if told.purged:
        rows.append(("purged", _named(told.purged["kinds"])))
        rows.append(("  where", _listed(told.purged["places"])))
    if told.unread:
        rows.append(("  not read", ", ".join(told.unread)))
    return rows


def _named(kinds: Mapping[str, int]) -> str:
    """Return how many secrets were purged; what was named by its value has no kind."""
    return _listed({"values" if kind == KIND else kind: times for kind, times in kinds.items()})


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {times}" for name, times in counts.items())


def _place(records: Sequence[r.Record], kind: str) -> str:
    """Tell which record of a commit a secret of a kind came in with."""
    known = [one for one in records if type(one) in PLACES]
    mark = f"[redacted:{kind}]".encode()
    chosen = next((one for one in known if mark in json.encode(one)), next(iter(known), None))
    if isinstance(chosen, r.Replied):
        calls = (call.arguments.encode() for call in chosen.step.calls)
        return "arguments" if any(mark in given for given in calls) else PLACES[r.Replied]
    return PLACES.get(type(chosen), OTHER)


def _events(folder: Path) -> Iterable[bytes]:
    """Yield the bytes of every event of the bus, and of the pages of large ones."""
    for path in [*folder.glob("bus/*.json"), *folder.glob("bus/pages/*")]:
        if path.is_file() and not path.is_symlink():
            yield path.read_bytes()


def _marks(found: Counts, place: str, texts: Iterable[bytes]) -> None:
    for text in texts:
        for kind in _MARK.findall(text):
            if kind != KIND.encode():  # of a purge, which its own record counts
                _add(found, place, kind.decode("utf-8", "replace"), 1)


def _add(found: Counts, place: str, kind: str, times: int) -> None:
    kinds = found.setdefault(place, {})
    kinds[kind] = kinds.get(kind, 0) + times

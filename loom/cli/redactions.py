"""How many secrets were replaced in a workspace, by place and by kind.

The journal counts those of each commit by kind; the place is told by the records beside the count.
What never came through the engine's own door is counted as it rests: the events of the bus, and
messages of the inbox by the signals they became.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import json

from loom.engine.archive.decode import records_of
from loom.engine.archive.workspace import Workspace
from loom.purging.report import summed
from loom_partitions import records as r

BUS = "bus"
_MARK = re.compile(rb"\[redacted:([^\]\s\"\\]{1,80})\]")
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


def redactions(workspace: Workspace, folder: Path) -> Counts:
    """Return how many secrets were replaced: by place, then by kind, both sorted by name."""
    found: Counts = {}
    for commit in workspace.journal.scan():
        if b"redacted" not in bytes(commit.records) and b"Redacted" not in bytes(commit.records):
            continue
        records = records_of(commit)
        counted = [one for one in records if isinstance(one, r.Redacted)]
        for one in counted:
            for kind, times in one.counts.items():
                _add(found, _place(records, kind), kind, times)
        if not counted:
            signals = (one for one in records if isinstance(one, r.Signalled))
            _marks(found, PLACES[r.Signalled], map(json.encode, signals))
    _marks(found, BUS, _events(folder))
    return {place: dict(sorted(found[place].items())) for place in sorted(found)}


def lines_of(found: Counts) -> list[tuple[str, str]]:
    """Return the counts as labelled lines: by kind, then by place."""
    places = {place: sum(kinds.values()) for place, kinds in found.items()}
    kinds = summed(found.values())
    if not places:
        return [("redacted", "none")]
    return [("redacted", _listed(kinds)), ("  where", _listed(places))]


def _listed(counts: dict[str, int]) -> str:
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
            _add(found, place, kind.decode("utf-8", "replace"), 1)


def _add(found: Counts, place: str, kind: str, times: int) -> None:
    kinds = found.setdefault(place, {})
    kinds[kind] = kinds.get(kind, 0) + times

"""How many secrets were replaced in a workspace, by kind of record and of secret, and how many were
purged later.

The journal counts those of each commit. What never came through the engine's own door is counted as
it rests: the events of the bus, and messages of the inbox by the signals they became.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct, json

from loom.cli.log import listed, place_of
from loom.errors import LoomError
from loom.lazy import lazy_re
from loom.rewrite.homes import agents_in
from loom.rewrite.purge_report import summed
from loom.rewrite.secrets import KIND
from loom.session.archive.folded import records_of
from loom.session.archive.workspace import Workspace
from loom_partitions import records as r

BUS, BELOW = "bus", "agents below"
OFF = "redaction was off (redact=())"
Counts = dict[str, dict[str, int]]
_MARK = lazy_re(rb"\[redacted:([^\]\s\"\\]{1,80})\]")
_TOLD = lazy_re(rb"[rR]edacted|Purged")


class RedactionCounts(Struct, frozen=True):
    """How many secrets were replaced as they came, and how many were purged later, in a tree.

    `redacted` is by the record a secret came in with (`returned`, `replied` …, of a text in front
    of the history its partition; or "bus"), then by kind; `purged` has `kinds` and `places`, or
    nothing. All are sorted by name. `off` is True where an opening of the workspace replaced none,
    `unread` names agents below that could not be read.
    """

    redacted: Counts
    purged: Counts
    off: bool = False
    unread: tuple[str, ...] = ()


def redactions(workspace: Workspace, folder: Path) -> RedactionCounts:
    """Return the counts of a workspace, those of all agents below it under one place of theirs."""
    found, purged = _own(workspace, folder)
    unread: list[str] = []
    for below in [*agents_in(folder)][1:]:
        try:
            theirs, later = _own(Workspace.at_path(below, write=False), below)
        except (LoomError, OSError):
            unread.append(below.relative_to(folder).as_posix())
            continue
        _add(found, BELOW, summed(theirs.values()))
        purged = {key: summed((purged.get(key, {}), later.get(key, {}))) for key in later or purged}
    redacted = {place: found[place] for place in sorted(found)}
    return RedactionCounts(redacted, purged, workspace.window.sent.unredacted, tuple(unread))


def _own(workspace: Workspace, folder: Path) -> tuple[Counts, Counts]:
    """Return the counts of one workspace: as they came, and purged."""
    found: Counts = {}
    purges: list[r.Redacted] = []
    for commit in workspace.journal.scan():
        if not _TOLD.search(bytes(commit.records)):
            continue
        records = records_of(commit)
        told = [one for one in records if isinstance(one, r.Redacted) and not one.off]
        others = [one for one in records if not isinstance(one, r.Redacted)]
        purges += (one for one in told if one.places is not None)
        counts = [one.counts for one in told if one.places is None]
        for kind, times in summed(counts).items():  # it came in with the record that has its mark
            mark = f"[redacted:{kind}]".encode()
            marked = (one for one in others if mark in json.encode(one))
            chosen = next(marked, next(iter(others), None))
            _add(found, "other" if chosen is None else place_of(chosen), {kind: times})
        for one in () if counts else others:
            if isinstance(one, r.Signalled):
                _add(found, place_of(one), _marks(json.encode(one)))
    for path in [*folder.glob("bus/*.json"), *folder.glob("bus/pages/*")]:
        if path.is_file() and not path.is_symlink():
            _add(found, BUS, _marks(path.read_bytes()))
    kinds, places = summed(one.counts for one in purges), summed(one.places or {} for one in purges)
    return found, {"kinds": kinds, "places": places} if purges else {}


def _marks(text: bytes) -> dict[str, int]:
    """Marks by kind; those of a purge its own record counts."""
    kinds = (kind.decode("utf-8", "replace") for kind in _MARK.findall(text))
    return summed({kind: 1} for kind in kinds if kind != KIND)


def _add(found: Counts, place: str, kinds: Mapping[str, int]) -> None:
    if kinds:
        found[place] = summed((found.get(place, {}), kinds))


def lines_of(told: RedactionCounts) -> Iterator[tuple[str, str]]:
    """Yield the counts as labelled lines: by kind, then by place, and the same of purges."""
    kinds = {"values" if k == KIND else k: n for k, n in told.purged.get("kinds", {}).items()}
    said = [listed(summed(told.redacted.values())), OFF if told.off else ""]
    where = {place: sum(of.values()) for place, of in told.redacted.items()}
    yield "redacted", "; ".join(filter(None, said)) or "none"
    for label, text in (
        ("  where", listed(where)),
        ("purged", listed(kinds)),
        ("  where", listed(told.purged.get("places", {}))),
        ("  not read", ", ".join(told.unread)),
    ):
        if text:
            yield label, text

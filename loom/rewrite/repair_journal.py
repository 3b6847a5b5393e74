"""Repair the journal of a workspace: write the commits and pages that can be kept to a new store,
and report the lost ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct
from msgspec.structs import replace

from loom.opening import open_context
from loom.rewrite.reports import LostPage, RepairedWorkspace
from loom.rewrite.standing_commits import StandingCommits
from loom.session.archive.folded_journal import FoldedJournal, encode_records
from loom.session.archive.page_reader import UNREADABLE
from loom.session.archive.snapshot_document import snapshot_disagreement
from loom.session.archive.workspace import Workspace
from loom.session.certify import step_of_demanded_reasoning
from loom.session.working_edits import LINE_CHARS
from loom.text import one_line
from loom_paging import CorruptPage, Journal, MissingPage, PageRef, Store, check_disk
from loom_paging import extent as extents
from loom_paging.page import fetch
from loom_paging.salvage import salvage
from loom_paging.segments import segment_name
from loom_partitions import records as r
from loom_partitions.limits import Budget
from loom_partitions.migrations import SCHEMA
from loom_partitions.surfaces import Event

NAMED = 3  # of each kind of what is lost, in the event
LOST_GOAL = "its record was lost to damage on disk"


class SpawnLimits(Struct, frozen=True):
    """The budget and the depth that an agent was spawned with. The depth counts the generations
    below the first agent."""

    budget: Budget | None = None
    depth: int = 0


def repair_journal(
    old: Store, new: Store, agent: str, children: tuple[str, ...], birth: SpawnLimits
) -> tuple[RepairedWorkspace, StandingCommits]:
    """Write the commits and pages that can be kept from the store `old` to the empty store `new`.
    Return a pair (report, kept commits).

    `agent` is the folder of the agent, `children` the names of the agents below it, `birth` the
    budget and depth it was spawned with. Raises NewerWorkspace."""
    held = salvage(old)
    standing = StandingCommits(partial(_first_record, old, birth))
    for found in held.found:
        standing.take_commit(found)
    standing.mark_missing(extents.load(old).last)
    lost, requests = _copy_pages(old, new, standing), standing.lost_requests
    if standing.lines and (records := _loss_records(standing, lost, children)):
        standing.add_commit(records, held.segments[-1] if held.segments else "")
    if standing.lines or standing.missing or held.segments:  # else no agent was ever opened here
        runs = [
            b"".join(line for _, line in lines)
            for _, lines in groupby(standing.lines, key=lambda one: one[0])
        ]
        if not runs or (held.segments and standing.lines[-1][0] != held.segments[-1]):
            runs.append(b"")  # a sealed segment stays sealed
        for number, data in enumerate(runs, 1):
            new.append(segment_name(number), data)
    told = RepairedWorkspace(
        agent,
        standing.kept,
        tuple(standing.missing),
        held.lost,
        standing.missing_entries,
        tuple(standing.results),
        tuple(standing.left_out),
        (*lost, *_retire_contradicting_snapshot(new)),
        tuple(name for name in old.names("outputs/") if name not in standing.pages),
        torn=held.torn,
        requests=requests,
    )
    return told, standing


def _loss_records(
    standing: StandingCommits, lost: Sequence[LostPage], children: tuple[str, ...]
) -> list[r.Record]:
    """Return the records that tell the repaired journal and the model what was lost: lost children,
    pages and requests."""
    told: list[r.Record] = []
    # Lost children are recorded, so that their names are not used again.
    for name in dict.fromkeys((*children, *standing.joined)):
        if name not in standing.spawned:
            joined = standing.joined.get(name)
            told += [r.Spawned(name, LOST_GOAL, ""), *([joined] if joined else [])]
    names = tuple(page.name for page in lost)
    if names:
        told.append(r.Sifted(names, "damaged", sum(standing.pages[name].size for name in names)))
    gone, last = standing.unaccounted_requests, standing.last_request
    if gone or last > standing.window.sent.turn:
        told.append(r.Repaired(last, gone, (), 0, step_of_demanded_reasoning(standing.window)))
    kinds = (
        ("entries (perhaps messages of the user)", [*map(str, standing.missing_entries)]),
        ("results", standing.results),
        ("pages", [name.removeprefix("outputs/") for name in names]),
    )
    said = [
        f"{len(some)} {what}: {', '.join(some[:NAMED])}{', …' if len(some) > NAMED else ''}"
        for what, some in kinds
        if some
    ]
    if said:
        text = one_line(f"lost to damage on disk: {'; '.join(said)}", LINE_CHARS)
        told.append(r.Signalled(Event((f"damage-{len(standing.lines)}",), "damage", text)))
    return told


def _first_record(old: Store, birth: SpawnLimits) -> r.Opened:
    """Return the Opened record of a journal from a checkpoint or, without a checkpoint, with
    default sizes."""
    folded = FoldedJournal.newest(old)
    if folded.commits:
        return folded.window.config
    with TemporaryDirectory() as folder, open_context(Path(folder, "new"), durable=False) as ctx:
        return replace(ctx.window.config, depth=birth.depth, budget=birth.budget)


def _retire_contradicting_snapshot(new: Store) -> tuple[LostPage, ...]:
    """Remove the newest snapshot if its C_working differs from that of the repaired journal. Return
    a tuple with this snapshot as a LostPage, or ()."""
    if not new.names("journal/"):
        return ()
    workspace = Workspace(new, write=False, checkpoint=False)
    if (told := snapshot_disagreement(workspace)) is None:
        return ()
    size = workspace.pager.table[told.snapshot].size
    retired = encode_records([r.Sifted((told.snapshot,), "damaged", size)])
    Journal.open(new, write=True, schema=SCHEMA).commit(retired, (), workspace.at)
    new.delete(told.snapshot)
    return (LostPage(told.snapshot, f"of a window that is gone: {told.what}"),)


def _copy_pages(old: Store, new: Store, standing: StandingCommits) -> tuple[LostPage, ...]:
    """Copy every page that a kept commit names, unless Loom had removed it earlier. Return the
    pages that could not be read with the right hash."""
    kept = [ref for ref in standing.pages.values() if ref.name not in standing.retired]
    equal: dict[str, list[str]] = {}
    for ref in kept:
        equal.setdefault(ref.sha256, []).append(ref.name)
    copied: dict[str, str] = {}
    lost: list[LostPage] = []
    for ref in kept:
        if ref.sha256 in copied:
            new.link(copied[ref.sha256], ref.name)
            continue
        data = _read_page(old, ref, (ref.name, *filter(None, [ref.alias]), *equal[ref.sha256]))
        if isinstance(data, bytes):
            new.put(ref.name, data)
            copied[ref.sha256] = ref.name
        else:
            lost.append(LostPage(ref.name, data))
    return tuple(lost)


def _read_page(old: Store, ref: PageRef, names: Iterable[str]) -> bytes | str:
    """Return the bytes of a page with the right hash, read under one of `names`, or else the
    reason: "damaged", "gone" or "unreadable"."""
    why = ""
    for name in dict.fromkeys(names):
        try:
            return fetch(old, ref, name)
        except UNREADABLE as error:
            check_disk(error)
            kinds = {CorruptPage: "damaged", MissingPage: "gone"}
            why = why or kinds.get(type(error), "unreadable")
    return why

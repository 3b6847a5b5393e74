"""The journal of a repaired workspace: its commits, its pages, and what of both is lost."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache

from msgspec.structs import replace

from loom.engine.archive.decode import encoded, records_of
from loom.engine.archive.workspace import Workspace
from loom.engine.certify import demanded, first_changed
from loom.engine.counters import known_counter
from loom.engine.snapshots.checked import disagreement
from loom.engine.working import LINE_CHARS
from loom.errors import LoomError
from loom.policy import policy_of
from loom.providers.counts import Sizes, counter_for
from loom.repairing.first_record import Birth, first_record
from loom.repairing.marked import marked
from loom.repairing.pages import pages_copied, unreferenced
from loom.repairing.report import LostPage, RepairedWorkspace
from loom.repairing.standing import Standing, lawless
from loom.text import one_line
from loom_paging import Journal, Store
from loom_paging import extent as extents
from loom_paging.line import encode
from loom_paging.salvage import LostLine, Salvage, salvage
from loom_paging.segments import crc_of, segment_name
from loom_partitions import records as r
from loom_partitions.migrations import SCHEMA
from loom_partitions.surfaces import Event
from loom_partitions.window import Window

NAMED = 3  # of each kind of what is lost, in the event
LOST_GOAL = "its record was lost to damage on disk"


def journal_repaired(
    old: Store, new: Store, agent: str, children: tuple[str, ...], birth: Birth
) -> tuple[RepairedWorkspace, Standing]:
    """Write what stands of a journal, and its pages, into an empty store; the journal last.

    `children` are the names of agents that live below, `birth` what the agent was spawned with.
    Raises NewerWorkspace.
    """
    held = salvage(old)
    standing = stood(old, held, birth)
    _children(standing, held, children)
    lost = pages_copied(old, new, standing)
    if lost:
        names = tuple(page.name for page in lost)
        size = sum(standing.pages[name].size for name in names)
        _add(standing, held, [r.Retired(names, "damaged", size)])
    requests = standing.requests.lost
    _go_on(standing, held, {page.name for page in lost})
    if (event := _event(standing, lost)) is not None and standing.commits:
        _add(standing, held, [event])
    _write(new, held, standing)
    lost = (*lost, *_contradicting(new))
    told = RepairedWorkspace(
        agent,
        standing.kept,
        tuple(standing.missing),
        (*held.lost, *_elsewhere(old, held)),
        _missing_entries(standing),
        tuple(standing.results),
        tuple(standing.left_out),
        lost,
        tuple(name for name in old.names("outputs/") if name not in standing.pages),
        torn=held.torn,
        requests=requests,
        unreferenced=unreferenced(standing),
    )
    return told, standing


def _go_on(standing: Standing, held: Salvage, lost: Collection[str]) -> None:
    """Record which numbers of requests are gone, so that none of them is given again, and where
    the window names pages that are lost."""
    numbers, window = standing.requests, standing.window
    if not standing.commits:
        return
    if standing.missing or standing.left_out:  # marks of an earlier repair may be gone
        lost = {*lost, *standing.retired}
    edits = marked(window, lost, standing.sizes(window))
    if edits or numbers.gone or numbers.last > window.sent.turn:
        start, thinking = first_changed(window, edits), demanded(window)
        gone = r.Repaired(numbers.last, numbers.gone, edits, start if edits else 0, thinking)
        _add(standing, held, [gone])


def _event(standing: Standing, lost: Sequence[LostPage]) -> r.Signalled | None:
    """The event that tells the model what is gone, by its first few names; None for nothing."""
    kinds = (
        ("entries (perhaps messages of the user)", [*map(str, _missing_entries(standing))]),
        ("results", standing.results),
        ("pages", [page.name.removeprefix("outputs/") for page in lost]),
    )
    gone = [
        f"{len(names)} {what}: {', '.join(names[:NAMED])}{', …' if len(names) > NAMED else ''}"
        for what, names in kinds
        if names
    ]
    if not gone:
        return None
    text = one_line(f"lost to damage on disk: {'; '.join(gone)}", LINE_CHARS)
    return r.Signalled(Event((f"damage-{standing.last}",), "damage", text))


def stood(old: Store, held: Salvage, birth: Birth) -> Standing:
    """Fold what was found. Should laws be broken in the end, each record is asked for them."""
    standing = _folded(old, held, birth, strict=False)
    return _folded(old, held, birth, strict=True) if lawless(standing.window) else standing


def _folded(old: Store, held: Salvage, birth: Birth, *, strict: bool) -> Standing:
    standing = Standing(_sizes(), strict=strict)
    if held.found and not _begins(held):
        first = held.found[0]
        standing.begin(first_record(old, birth), first.segment, first.commit.at)
    for found in held.found:
        standing.take(found)
    standing.reach(extents.load(old).last)
    return standing


def _begins(held: Salvage) -> bool:
    """True when the first commit is there, and can be read."""
    first = held.found[0].commit
    try:
        return first.number == 1 and any(isinstance(one, r.Opened) for one in records_of(first))
    except LoomError:
        return False


def _sizes() -> Callable[[Window], Sizes]:
    """The sizes of texts in a window, by the counter it was opened with or the nearest to it."""

    @cache
    def counted(model: str, encoding: str) -> Sizes:
        window = Window(config=replace(Window().config, model=model, encoding=encoding))
        try:
            return Sizes(known_counter(window, "", policy_of(window), ()))
        except LoomError:  # a capability's own, which is not given here
            return Sizes(counter_for(model, ""))

    return lambda window: counted(window.config.model, window.config.encoding)


def _children(standing: Standing, held: Salvage, names: tuple[str, ...]) -> None:
    """Record the agents below whose records are lost: no other may be given their names."""
    records: list[r.Record] = []
    for name in dict.fromkeys((*names, *standing.joined)):
        if name in standing.spawned:
            continue
        records.append(r.Spawned(name, LOST_GOAL, ""))
        records += [standing.joined[name]] if name in standing.joined else []
    if records and standing.commits:
        _add(standing, held, records)


def _add(standing: Standing, held: Salvage, records: list[r.Record]) -> None:
    last = standing.commits[-1]
    standing.add(records, held.segments[-1] if held.segments else last.segment, last.at)


def _contradicting(new: Store) -> tuple[LostPage, ...]:
    """Retire the newest snapshot where it tells of another C_working than what now folds."""
    if not new.names("journal/"):
        return ()
    workspace = Workspace(new, write=False, checkpoint=False)
    told = disagreement(workspace)
    if told is None:
        return ()
    size = workspace.pager.table[told.snapshot].size
    retired = encoded([r.Retired((told.snapshot,), "damaged", size)])
    Journal.open(new, write=True, schema=SCHEMA).commit(retired, (), workspace.at)
    new.delete(told.snapshot)
    return (LostPage(told.snapshot, "", "", f"of a window that is gone: {told.what}"),)


def _elsewhere(old: Store, held: Salvage) -> Iterator[LostLine]:
    """Yield where the journal is another one than when it was closed, though its lines verify."""
    extent = extents.load(old)
    for number, size in enumerate(extent.sizes, 1):
        name = segment_name(number)
        lines = [one for one in held.found if one.segment == name]
        found = sum(len(one.data) for one in lines)
        last = number == len(extent.sizes)
        if (
            lines
            and not any(one.segment == name for one in held.lost)
            and (found < size or (found > size and not last))
        ):
            why = f"{found:,} bytes of whole lines, and {size:,} when it was noted"
            yield LostLine(name, 0, found, why)
    ended = next((one for one in held.found if one.commit.number == extent.last), None)
    if ended is not None and extent.crc and crc_of(ended.data) != extent.crc:
        why = "another line than when it was noted: it may be of another workspace"
        yield LostLine(ended.segment, ended.line, len(ended.data), why)


def _missing_entries(standing: Standing) -> tuple[int, ...]:
    """Ids that no entry has any more, between those there are."""
    known = standing.entries
    if not standing.missing or not known:
        return ()
    # A session that was carried on from another has no first entries of its own.
    least = 1 if standing.missing[0] == 1 else min(known)
    return tuple(id for id in range(least, max(known)) if id not in known)


def _write(new: Store, held: Salvage, standing: Standing) -> None:
    """Write the commits under new numbers, segment by segment as they lay."""
    if not (standing.commits or standing.missing or held.segments):
        return  # no agent was ever opened here
    segments: list[list[bytes]] = []
    before = ""
    for number, commit in enumerate(standing.commits, 1):
        if commit.segment != before:
            before = commit.segment
            segments.append([])
        line = commit.line or encode(
            number, commit.at, commit.pages, bytes(commit.records), commit.schema
        )
        segments[-1].append(line)
    if not segments or (held.segments and before != held.segments[-1]):
        segments.append([])  # a sealed segment stays sealed
    for number, lines in enumerate(segments, 1):
        new.append(segment_name(number), b"".join(lines))

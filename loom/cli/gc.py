"""`loom gc`: the pages of a workspace that nothing needs any more, told, and let go with --yes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import to_builtins
from msgspec.structs import replace
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from loom.cli.elsewhere import behind
from loom.cli.exits import FINE, FOUND, BadUsage
from loom.cli.ps import ago
from loom.cli.show import (
    AsJson,
    Folder,
    Sheet,
    complain,
    console,
    emit,
    line,
    lively,
    sheet,
    sized,
)
from loom.engine.archive.collecting import (
    CollectedPages,
    collectable,
    commit_with_room,
    page_kind,
    retirements,
)
from loom.engine.archive.half_purged import no_workspace
from loom.engine.archive.live import UNDO
from loom.engine.archive.workspace import Workspace
from loom.engine.writable import workspace_at
from loom.lazy import lazy_re
from loom.reduce.lines import counted
from loom.reduce.rules import KINDS
from loom.retention import DAY, HOUR, LASTING, TTL, Retention, checked
from loom.text import shown
from loom_paging import FileStore, Store, StoreLocked
from loom_paging.remote.address import tree_at
from loom_paging.remote.leftovers import NO_GRACE, StoreLeftovers
from loom_paging.remote.tree import RemoteTree

UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": HOUR, "d": DAY}
SIZES = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9}
_NUMBER = lazy_re(r"(\d+(?:\.\d+)?)\s*([A-Za-z]*)")
BESIDE = (
    "an agent at work there collects its own: give it loom.Policy(retention=loom.Retention()), or"
    " call ctx.history.gc(apply=True) in that process"
)
WHYS = {"expired": "its time is over", "quota": "over the quota"}
KEPT = {UNDO: "the last requests, for undo"}  # why a page stays, where the journal's word is short
SHOWN = 20  # pages by name; --json has all
MANY = 200  # files removed between two looks at the bar


def gc(
    folder: Folder,
    /,
    *,
    ttl: tuple[str, ...] = (),
    quota: str | None = None,
    horizon: int | None = None,
    yes: bool = False,
    json: AsJson = False,
) -> int:
    """Let go of pages that nothing live names and whose time is over.

    Without --yes it shows which these are, and changes nothing. Agents below
    this one, and forks of it, are workspaces of their own: name theirs.

    Live is what the window, its request, surfaces and snapshot name, what agents
    at work were given, what was promoted, and what the last requests need, so
    that they can be gone back to. What the user said, the model wrote, and
    digests have no time.

    Exit code 0: nothing goes, or it is done. 1: some would go, or the rest is
    still over the quota. 2: refused.

    Parameters
    ----------
    ttl
        KIND=TIME since the last use: shell=30m, read=7d, web=never; may be given more than once.
    quota
        Bytes that pages may take before packs compress them (500MB): over it those unused longest
        go first.
    horizon
        So many of the last requests can be gone back to.
    yes
        Do it. Nobody may have the workspace open.
    """
    given = _retention(ttl, quota, horizon)
    if not (folder / "journal").is_dir():
        raise FileNotFoundError(no_workspace(folder))
    try:
        workspace = _opened(folder, write=yes)
    except StoreLocked:
        complain(BESIDE)
        raise
    try:
        _check_kinds(given, workspace)
        found = collectable(workspace, given)
        if yes:
            found = _applied(workspace, found)
        left = _left(workspace.store, yes=yes)
        young = _young(workspace.store)
    finally:
        workspace.close()
    disk = _on_disk(workspace.store)
    if json:
        told = {"objects": {"count": len(left.keys), "bytes": left.bytes, **young}} if left else {}
        emit({**to_builtins(found), "disk": disk, **told})
    elif left is not None:
        _told(found)
        went = "went" if yes else "would go"
        line(f"{_objects(left)} of the store {went}, {sized(left.bytes)} freed there.")
        if young["young"]:
            line(
                f"Needless too, but younger than an hour: {counted(young['young'], 'object')},"
                f" {sized(young['young_bytes'])}; who reads now may still need them."
            )
    else:
        _told(found)
        line(
            f"Files take {sized(disk['plain'])} in outputs/ and {sized(disk['packs'])} in packs/"
            " (compressed); sizes above are of whole pages."
        )
    more = not yes and (found.gone or (left is not None and left.keys))
    return FOUND if found.over or more else FINE


def _opened(folder: Path, *, write: bool) -> Workspace:
    """The workspace in a folder, or at the address the folder stands for."""
    if (mirror := behind(folder)) is None:
        return Workspace.at_path(folder, write=write)
    if write:
        return workspace_at(mirror.address)
    return Workspace(tree_at(mirror.address, write=False), write=False)


def _left(store: Store, *, yes: bool) -> StoreLeftovers | None:
    """What a store on an object store needs no more, removed where asked; None for a folder."""
    if not isinstance(store, RemoteTree):
        return None
    return store.sweep_objects() if yes else store.leftovers()


def _young(store: Store) -> dict[str, int]:
    """How many objects are needless too, but younger than the time of grace, and their bytes."""
    if not isinstance(store, RemoteTree):
        return {"young": 0, "young_bytes": 0}
    old, every = store.leftovers(), store.leftovers(NO_GRACE)
    return {
        "young": len(set(every.keys) - set(old.keys)),
        "young_bytes": max(every.bytes - old.bytes, 0),
    }


def _objects(left: StoreLeftovers) -> str:
    """How many objects of each kind."""
    kinds = {"batch": "log", "checkpoint": "folds", "page": "pages", "merged object": "merged"}
    told = [f"{left.count(folder):,} × {kind}" for kind, folder in kinds.items()]
    return ", ".join(one for one in told if not one.startswith("0 ")) or "0 objects"


def _check_kinds(given: Retention, workspace: Workspace) -> None:
    """Raise BadUsage for a kind that neither Loom nor a page of the workspace has."""
    there = {page_kind(name) for name in workspace.pager.table} - LASTING
    known = sorted({*KINDS.values(), *TTL, *filter(None, there)})
    for kind in given.ttl:
        if kind not in known:
            raise BadUsage(f"--ttl {shown(kind, 40)}: no such kind; there are {', '.join(known)}")


def _applied(workspace: Workspace, found: CollectedPages) -> CollectedPages:
    """Retire the pages, then remove their files, of which the next opening ends what is left."""
    records = [*retirements(found)]
    if records:
        commit_with_room(workspace, found, lambda: workspace.commit(records, workspace.window))
        workspace.acknowledge()
    with _bar(len(found.gone)) as advance:
        files, retired = workspace.retired_files, workspace.pager.retired
        while files.removed < len(retired):
            files.remove(retired, MANY)
            advance(MANY)
    return replace(found, applied=True)


@contextmanager
def _bar(total: int) -> Iterator[Callable[[int], None]]:
    """A bar on stderr over the files that are removed; off a terminal nothing."""
    screen = console(sys.stderr)
    if not lively(screen) or total <= MANY:
        yield lambda done: None
        return
    columns = (TextColumn("removing"), BarColumn(bar_width=20), TaskProgressColumn())
    with Progress(*columns, console=screen, transient=True) as progress:
        task = progress.add_task("", total=total)
        yield lambda done: progress.advance(task, done)


def _on_disk(store: Store) -> dict[str, int]:
    """Bytes the files of pages take, those with several names once, and those of packs."""
    if not isinstance(store, FileStore):
        return {"plain": 0, "packs": 0}
    plain = {
        (found.st_dev, found.st_ino): found.st_size
        for path in (store.root / "outputs").glob("*")
        if path.is_file() and (found := path.stat())
    }
    packs = sum(held.path.stat().st_size for held in store.packs.all())
    return {"plain": sum(plain.values()), "packs": packs}


def _pages(found: CollectedPages) -> None:
    """The largest pages that go, by name, with how long nothing used them."""
    if not found.gone:
        return
    largest = sorted(found.gone, key=lambda page: (-page.bytes, page.name))
    rows = [(page.name, sized(page.bytes), ago(int(page.idle * 1_000))) for page in largest[:SHOWN]]
    sheet(Sheet(("page", "bytes>", "unused for>"), tuple(rows)))
    if len(largest) > SHOWN:
        line(f"… and {len(largest) - SHOWN:,} smaller ones (--json has all)")


def _told(found: CollectedPages) -> None:
    rows: dict[tuple[str, str], list[int]] = {}
    for page in found.gone:
        row = rows.setdefault((page.kind, WHYS[page.why]), [0, 0])
        row[0], row[1] = row[0] + 1, row[1] + page.bytes
    went = "went" if found.applied else "goes"
    table = [
        (went, kind, f"{pages:,}", sized(size), why)
        for (kind, why), (pages, size) in sorted(rows.items())
    ]
    table += [
        ("stays", kept.kind, f"{kept.pages:,}", sized(kept.bytes), KEPT.get(kept.why, kept.why))
        for kept in found.kept
    ]
    if table:
        sheet(Sheet(("", "kind", "pages>", "bytes>", "why"), tuple(table)))
    _pages(found)
    done = "went" if found.applied else "would go"
    line(
        f"{counted(len(found.gone), 'page')} {done}, {sized(found.freed)} freed;"
        f" {sized(found.bytes)} stay."
    )
    if found.over:
        line(f"{sized(found.over)} over the quota: nothing else may go.")
    if found.gone and not found.applied:
        line("Nothing was changed: --yes does it.")


def _retention(ttl: tuple[str, ...], quota: str | None, horizon: int | None) -> Retention:
    """The retention the options say. Raises BadUsage and LoomError."""
    times: dict[str, float | None] = {}
    for one in ttl:
        kind, parted, time = one.partition("=")
        if not parted or not kind:
            raise BadUsage(f"--ttl {one}: give KIND=TIME, as in shell=30m")
        times[kind] = None if time == "never" else _number("--ttl", time, UNITS)
    made = Retention(ttl=times)
    if quota is not None:
        made = replace(made, quota=round(_number("--quota", quota, SIZES)))
    return checked(made if horizon is None else replace(made, horizon=horizon))


def _number(option: str, text: str, units: dict[str, float] | dict[str, int]) -> float:
    found = _NUMBER.fullmatch(text.strip())
    by_name = {name.lower(): value for name, value in units.items()}
    if found is None or found[2].lower() not in by_name:
        raise BadUsage(
            f"{option} {text}: give a number, with one of {', '.join(filter(None, units))}"
        )
    return float(found[1]) * by_name[found[2].lower()]

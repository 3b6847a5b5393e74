"""`loom gc`: the pages of a workspace that nothing needs any more, told, and let go with --yes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import to_builtins
from msgspec.structs import replace

from loom.cli.columns import Sheet, sheet
from loom.cli.elsewhere import mirror_of
from loom.cli.exits import FINE, FOUND
from loom.cli.ps import ago
from loom.cli.show import AsJson, Folder, complain, emit, line, lines, sized
from loom.errors import BadInput
from loom.lazy import lazy_re
from loom.reduce.lines import counted
from loom.reduce.rules import KINDS
from loom.retention import DAY, HOUR, LASTING, TTL, CollectedPages, Retention, check_retention
from loom.session.archive.half_purged import no_workspace
from loom.session.archive.workspace import Workspace
from loom.session.collect import (
    UNDO,
    collectable,
    commit_with_room,
    page_kind,
    retirements,
)
from loom.session.opening import workspace_at
from loom.text import shown
from loom_paging import FileStore, Store, StoreLocked
from loom_paging.remote.leftovers import NO_GRACE
from loom_paging.remote.opening import tree_at
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
WENT = ("would go", "went")
SHOWN = 20  # pages by name; --json has all
MANY = 200  # files removed at a time


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
    finally:
        workspace.close()
    if json:
        disk = _on_disk(workspace.store)
        emit({**to_builtins(found), "disk": disk, **({"objects": left} if left else {})})
    else:
        _told(found)
        lines(_rest(left, yes=yes) if left else ())
    more = not yes and (found.gone or left.get("count"))
    return FOUND if found.over or more else FINE


def _rest(left: dict[str, Any], *, yes: bool) -> Iterator[str]:
    """The lines about the objects of a store."""
    freed = f"{sized(left['bytes'])} freed there"
    yield f"{counted(left['count'], 'object')} of the store {WENT[yes]}, {freed}."
    if left["young"]:
        yield (
            f"Needless too, but younger than an hour: {counted(left['young'], 'object')},"
            f" {sized(left['young_bytes'])}; who reads now may still need them."
        )


def _opened(folder: Path, *, write: bool) -> Workspace:
    """The workspace in a folder, or at the address the folder stands for."""
    if (mirror := mirror_of(folder)) is None:
        return Workspace.at_path(folder, write=write)
    if write:
        return workspace_at(mirror.address)
    return Workspace(tree_at(mirror.address, write=False), write=False)


def _left(store: Store, *, yes: bool) -> dict[str, Any]:
    """What a store on an object store needs no more, removed where asked; {} for a folder. `young`
    is needless too, but younger than the time of grace."""
    if not isinstance(store, RemoteTree):
        return {}
    left = store.sweep_objects() if yes else store.leftovers()
    old, every = store.leftovers(), store.leftovers(NO_GRACE)
    return {
        "count": len(left.keys),
        "bytes": left.bytes,
        "young": len(set(every.keys) - set(old.keys)),
        "young_bytes": max(every.bytes - old.bytes, 0),
    }


def _check_kinds(given: Retention, workspace: Workspace) -> None:
    """Raise BadInput for a kind that neither Loom nor a page of the workspace has."""
    there = {page_kind(name) for name in workspace.pager.table} - LASTING
    known = sorted({*KINDS.values(), *TTL, *filter(None, there)})
    for kind in given.ttl:
        if kind not in known:
            raise BadInput(f"--ttl {shown(kind, 40)}: no such kind; there are {', '.join(known)}")


def _applied(workspace: Workspace, found: CollectedPages) -> CollectedPages:
    """Retire the pages, then remove their files. Files that an interrupt leaves are removed by the
    next opening."""
    records = [*retirements(found)]
    if records:
        commit_with_room(workspace, found, lambda: workspace.commit(records, workspace.window))
        workspace.acknowledge()
    files, retired = workspace.retired_files, workspace.pager.retired
    while files.removed < len(retired):
        files.remove(retired, MANY)
    return replace(found, applied=True)


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


def _told(found: CollectedPages) -> None:
    """What goes and what stays by kind and reason, the largest pages that go, and the sum."""
    sizes: dict[tuple[str, str, str], list[int]] = {}
    for page in sorted(found.gone, key=lambda page: (page.kind, page.why)):
        row = ("went" if found.applied else "goes", page.kind, WHYS[page.why])
        sizes.setdefault(row, []).append(page.bytes)
    rows = [(*row, len(each), sum(each)) for row, each in sizes.items()]
    rows += [("stays", k.kind, KEPT.get(k.why, k.why), k.pages, k.bytes) for k in found.kept]
    if rows:
        table = tuple((*row, f"{pages:,}", sized(size)) for *row, pages, size in rows)
        sheet(Sheet(("", "kind", "why", "pages>", "bytes>"), table))
    largest = sorted(found.gone, key=lambda page: (-page.bytes, page.name))
    named = [(page.name, sized(page.bytes), ago(int(page.idle * 1_000))) for page in largest]
    if named:
        sheet(Sheet(("page", "bytes>", "unused for>"), tuple(named[:SHOWN])))
    if len(named) > SHOWN:
        line(f"… and {len(named) - SHOWN:,} smaller ones (--json has all)")
    freed = f"{counted(len(named), 'page')} {WENT[found.applied]}, {sized(found.freed)} freed"
    line(f"{freed}; {sized(found.bytes)} stay.")
    if found.over:
        line(f"{sized(found.over)} over the quota: nothing else may go.")
    if named and not found.applied:
        line("Nothing was changed: --yes does it.")


def _retention(ttl: tuple[str, ...], quota: str | None, horizon: int | None) -> Retention:
    """The retention the options say. Raises BadInput and LoomError."""
    times: dict[str, float | None] = {}
    for one in ttl:
        kind, parted, time = one.partition("=")
        if not parted or not kind:
            raise BadInput(f"--ttl {one}: give KIND=TIME, as in shell=30m")
        times[kind] = None if time == "never" else _number("--ttl", time, UNITS)
    made = Retention(ttl=times)
    if quota is not None:
        made = replace(made, quota=round(_number("--quota", quota, SIZES)))
    return check_retention(made if horizon is None else replace(made, horizon=horizon))


def _number(option: str, text: str, units: dict[str, float] | dict[str, int]) -> float:
    found = _NUMBER.fullmatch(text.strip())
    by_name = {name.lower(): value for name, value in units.items()}
    if found is None or found[2].lower() not in by_name:
        raise BadInput(
            f"{option} {text}: give a number, with one of {', '.join(filter(None, units))}"
        )
    return float(found[1]) * by_name[found[2].lower()]

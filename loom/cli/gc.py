"""`loom gc`: list the pages of a workspace that are no longer needed; with --yes, remove them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import to_builtins
from rich.text import Text

from loom.cli.address_mirrors import mirror_at
from loom.cli.exits import FINE, FOUND
from loom.cli.output import AsJson, Folder, bytes_text, complain, print_result
from loom.cli.ps import age_text
from loom.cli.text_tables import table_lines
from loom.errors import BadInput
from loom.lazy import lazy_re
from loom.reduce.lines import plural
from loom.reduce.rules import KINDS
from loom.retention import DAY, HOUR, LASTING, TTL, CollectedPages, Retention
from loom.session.archive.half_purged import no_workspace_message
from loom.session.archive.workspace import Workspace
from loom.session.page_collection import UNDO, collect_pages, page_kind
from loom.session.workspace_opening import open_workspace
from loom.text import fit_repr
from loom_paging import FileStore, Store, StoreLocked
from loom_paging.remote.leftovers import NO_GRACE
from loom_paging.remote.open_address import open_tree
from loom_paging.remote.tree import RemoteTree
from loom_partitions.records import Record

UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": HOUR, "d": DAY}
SIZES = {"": 1.0, "B": 1.0, "KB": 1e3, "MB": 1e6, "GB": 1e9}
_NUMBER = lazy_re(r"(\d+(?:\.\d+)?)\s*([A-Za-z]*)")
BESIDE = (
    "an agent at work there collects its own: give it loom.Policy(retention=loom.Retention()), or"
    " call ctx.history.gc(apply=True) in that process"
)
WHYS = {"expired": "its time is over", "quota": "over the quota"}
KEPT = {UNDO: "the last requests, for undo"}  # why a page stays, where the journal's word is short
WENT = ("would go", "went")
SHOWN = 20  # pages by name; --json has all


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
    """Remove the pages that nothing live names and whose time limit is over.

    Without --yes it lists these pages and changes nothing. Agents below this
    one, and its forks, are workspaces of their own: give the folder of each.

    Live are the window, its request, its surfaces and its snapshot, agents
    still at work that were given pages, and the last requests, so that one can
    go back to them. A page that was promoted counts as named. What the user
    said, what the model wrote, and digests are kept without a time limit.

    Exit code 0: nothing goes, or all of it is removed. 1: some pages would go,
    or the rest is still over the quota. 2: refused.

    Args:
        ttl: KIND=TIME since the last use: shell=30m, read=7d, web=never; may be given more than
            once.
        quota: Bytes that all pages may take, counted uncompressed (500MB): over it, the pages
            unused longest go first.
        horizon: How many of the last requests one can go back to.
        yes: Remove the pages. Nobody may have the workspace open."""
    given = _parse_retention(ttl, quota, horizon)
    if not (folder / "journal").is_dir():
        raise FileNotFoundError(no_workspace_message(folder))
    try:
        workspace = _open_workspace(folder, write=yes)
    except StoreLocked:
        complain(BESIDE)
        raise

    def commit(*records: Record) -> None:
        if records:
            workspace.commit([*records], workspace.window)
            workspace.acknowledge()

    try:
        # A kind that neither Loom nor a page of the workspace has.
        there = {page_kind(name) for name in workspace.pager.table} - LASTING
        known = sorted({*KINDS.values(), *TTL, *filter(None, there)})
        for kind in given.ttl:
            if kind not in known:
                told = f"no such kind; there are {', '.join(known)}"
                raise BadInput(f"--ttl {fit_repr(kind, 40)}: {told}")
        found = collect_pages(workspace, given, commit if yes else None)
        if yes:  # files that an interrupt leaves are removed by the next opening
            workspace.retired_files.remove(workspace.pager.retired, most=None)
        left = _object_leftovers(workspace.store, yes=yes)
    finally:
        workspace.close()
    whole = {**to_builtins(found), "disk": _disk_bytes(workspace.store)}
    more = not yes and (found.gone or left.get("count"))
    return print_result(
        whole | ({"objects": left} if left else {}),
        _collection_lines(found, left),
        json=json,
        code=FOUND if found.over or more else FINE,
    )


def _open_workspace(folder: Path, *, write: bool) -> Workspace:
    """Open the workspace in a folder, or at the address that the folder mirrors, and return it."""
    if (mirror := mirror_at(folder)) is None:
        return Workspace.at_path(folder, write=write)
    if write:
        return open_workspace(mirror.address)
    return Workspace(open_tree(mirror.address, write=False), write=False)


def _object_leftovers(store: Store, *, yes: bool) -> dict[str, Any]:
    """Return a dict with the `count` and `bytes` of the objects that an object store no longer
    needs, and the number `young` of objects too new to remove. With `yes`, remove the unneeded
    objects. Return {} for a store in a folder."""
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


def _disk_bytes(store: Store) -> dict[str, int]:
    """Return a dict with the bytes on disk of the page files (`plain`) and of the packs
    (`packs`)."""
    if not isinstance(store, FileStore):
        return {"plain": 0, "packs": 0}
    found = [path.stat() for path in (store.root / "outputs").glob("*") if path.is_file()]
    plain = {(one.st_dev, one.st_ino): one.st_size for one in found}
    packs = sum(held.path.stat().st_size for held in store.packs.all())
    return {"plain": sum(plain.values()), "packs": packs}


def _collection_lines(found: CollectedPages, left: dict[str, Any]) -> Iterator[str | Text]:
    """Yield a table of removed and kept pages by kind and reason, the largest removed pages, and
    sums. `left` is what `_object_leftovers` returns."""
    sizes: dict[tuple[str, str, str], list[int]] = {}
    for page in sorted(found.gone, key=lambda page: (page.kind, page.why)):
        row = ("went" if found.applied else "goes", page.kind, WHYS[page.why])
        sizes.setdefault(row, []).append(page.bytes)
    rows = [(*row, len(each), sum(each)) for row, each in sizes.items()]
    rows += [("stays", k.kind, KEPT.get(k.why, k.why), k.pages, k.bytes) for k in found.kept]
    if rows:
        cells = [(*row, f"{pages:,}", bytes_text(size)) for *row, pages, size in rows]
        yield from table_lines(("", "kind", "why", "pages>", "bytes>"), cells)
    largest = sorted(found.gone, key=lambda page: (-page.bytes, page.name))
    named = [
        (page.name, bytes_text(page.bytes), age_text(int(page.idle * 1_000))) for page in largest
    ]
    if named:
        yield from table_lines(("page", "bytes>", "unused for>"), named[:SHOWN])
    if len(named) > SHOWN:
        yield f"… and {len(named) - SHOWN:,} smaller ones (--json has all)"
    went = f"{WENT[found.applied]}, {bytes_text(found.freed)} freed"
    yield f"{plural(len(named), 'page')} {went}; {bytes_text(found.bytes)} stay."
    if found.over:
        yield f"{bytes_text(found.over)} over the quota: nothing else may go."
    if named and not found.applied:
        yield "Nothing was changed: --yes does it."
    if left:
        many, freed = plural(left["count"], "object"), bytes_text(left["bytes"])
        yield f"{many} of the store {WENT[found.applied]}, {freed} freed there."
    if left.get("young"):
        yield (
            f"Needless too, but younger than an hour: {plural(left['young'], 'object')},"
            f" {bytes_text(left['young_bytes'])}; who reads now may still need them."
        )


def _parse_retention(ttl: tuple[str, ...], quota: str | None, horizon: int | None) -> Retention:
    """Return the Retention (rules for keeping pages) of these options. Raises BadInput and
    LoomError."""
    given: dict[str, Any] = {"ttl": {}}
    for one in ttl:
        kind, parted, time = one.partition("=")
        if not parted or not kind:
            raise BadInput(f"--ttl {one}: give KIND=TIME, as in shell=30m")
        given["ttl"][kind] = None if time == "never" else _parse_number("--ttl", time, UNITS)
    if quota is not None:
        given["quota"] = round(_parse_number("--quota", quota, SIZES))
    if horizon is not None:
        given["horizon"] = horizon
    return Retention(**given)


def _parse_number(option: str, text: str, units: dict[str, float]) -> float:
    """Return the value of a number with a unit: `30m` → 1800.0. `units` maps each unit to its
    factor, `option` is named in the error. Raises BadInput."""
    found = _NUMBER.fullmatch(text.strip())
    by_name = {name.lower(): value for name, value in units.items()}
    if found is None or found[2].lower() not in by_name:
        raise BadInput(
            f"{option} {text}: give a number, with one of {', '.join(filter(None, units))}"
        )
    return float(found[1]) * by_name[found[2].lower()]

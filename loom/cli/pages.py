"""`loom pages` and `cat`: what rests on the disk of a workspace, listed and brought back."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import to_builtins

from loom.cli.columns import Sheet, sheet
from loom.cli.exits import FINE, BadUsage
from loom.cli.records import entry_that_made
from loom.cli.show import AsJson, Folder, complain, emit, raw
from loom.cli.stat_log import opened
from loom.engine.archive.decode import records_of
from loom.engine.archive.lookup import fault
from loom.engine.archive.restore import entry_of
from loom.engine.archive.surfaces import surface_of
from loom.engine.archive.workspace import Workspace
from loom_paging import PageRef


def pages(folder: Folder, /, *, json: AsJson = False) -> int:
    """List the pages and snapshots of a workspace; those that were retired say why."""
    held = list(_pages(opened(folder)))
    if json:
        rows = [
            {
                "name": page.name,
                "bytes": page.size,
                "sha256": page.sha256,
                "alias": page.alias,
                "entry": entry,
                "retired": why,
            }
            for page, entry, why in held
        ]
        emit({"pages": rows})
        return FINE
    retired = any(why for _, _, why in held)
    sheet(
        Sheet(
            ("page", "bytes>", "sha256", "alias of", "made by", *(["retired"] if retired else [])),
            tuple(
                (
                    *(page.name, f"{page.size:,}", page.sha256[:10], page.alias or "", entry),
                    *([why] if retired else []),
                )
                for page, entry, why in held
            ),
        )
    )
    return FINE


def cat(
    folder: Folder,
    ref: str,
    /,
    *,
    lines: str | None = None,
    grep: str | None = None,
    pointer: str | None = None,
    json: AsJson = False,
) -> int:
    """Print a page (outputs/read_0007.json, read_0007), an entry (step_0012) or what the dashboard
    has no room for (working/events.md), whole or in part.

    Parameters
    ----------
    ref
        The page, entry or surface.
    lines
        Only these lines: 10-40, 40, 10- or -20 (the last 20).
    grep
        Only lines a regular expression matches, with the lines around them.
    pointer
        Only the value a JSON pointer leads to: /files/0/name.
    """
    given = {"lines": lines, "grep": grep, "pointer": pointer}
    ways = {way: value for way, value in given.items() if value is not None}
    if len(ways) > 1:
        raise BadUsage(f"--{' and --'.join(ways)}: ask for one part at a time")
    workspace = opened(folder)
    named = entry_of(ref) is not None or surface_of(ref) is not None
    if not (ways or json or named):
        raw(workspace.pager.get(workspace.pager.resolve(ref).name))
        return FINE
    shown, name = fault(workspace, ref, None, **ways)
    if json:
        emit({"name": name, **to_builtins(shown)})
        return FINE
    ending = "" if shown.text.endswith("\n") or not shown.text else "\n"
    raw((shown.text + ending).encode("utf-8", "surrogatepass"))
    if shown.note:
        complain(shown.note)
    return FINE


def _pages(workspace: Workspace) -> Iterator[tuple[PageRef, str, str]]:
    """Every page, the entry that made it, and why it was retired, in the order they were made."""
    retired = workspace.pager.retired
    for commit in workspace.journal.scan():
        if commit.pages:
            records = records_of(commit)
            for page in commit.pages:
                yield page, entry_that_made(page.name, records), retired.get(page.name, "")

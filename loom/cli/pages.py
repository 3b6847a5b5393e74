"""`loom pages` and `loom cat`: list the pages of a workspace, and print one."""

from __future__ import annotations

from typing import Any

from msgspec import to_builtins

from loom.cli.agents import open_workspace
from loom.cli.exits import FINE
from loom.cli.log import entry_of_page
from loom.cli.output import AsJson, Folder, complain, print_bytes, print_json, print_result
from loom.cli.text_tables import table_lines
from loom.errors import BadInput
from loom.session.archive.folded_journal import records_of
from loom.session.archive.full_surfaces import surface_name
from loom.session.archive.page_in_by_name import slice_by_name
from loom.session.archive.restore import entry_id_in_name


def pages(folder: Folder, /, *, json: AsJson = False) -> int:
    """List the pages and snapshots of a workspace; a retired page has the reason beside it."""
    workspace = open_workspace(folder)
    rows: list[dict[str, Any]] = [
        {
            "name": page.name,
            "bytes": page.size,
            "sha256": page.sha256,
            "alias": page.alias,
            "entry": entry_of_page(page.name, records),
            "retired": workspace.pager.retired.get(page.name, ""),
        }
        for commit in workspace.journal.scan()
        if commit.pages
        for records in [records_of(commit)]
        for page in commit.pages
    ]
    shown = 6 if any(row["retired"] for row in rows) else 5
    cells = [
        (row["name"], f"{row['bytes']:,}", row["sha256"][:10], row["alias"] or "", row["entry"],
         row["retired"])[:shown]
        for row in rows
    ]  # fmt: skip
    columns = ("page", "bytes>", "sha256", "alias of", "made by", "retired")[:shown]
    return print_result({"pages": rows}, table_lines(columns, cells), json=json)


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
    """Print a page (outputs/read_0007.json, read_0007), an entry (step_0012) or a surface of
    C_working (working/events.md) that the dashboard has no room for, whole or in part.

    Args:
        ref: The page, entry or surface.
        lines: Only these lines: 10-40, 40, 10- or -20 (the last 20).
        grep: Only lines a regular expression matches, with the lines around them.
        pointer: Only the value a JSON pointer leads to: /files/0/name.
    """
    given = {"lines": lines, "grep": grep, "pointer": pointer}
    ways = {way: value for way, value in given.items() if value is not None}
    if len(ways) > 1:
        raise BadInput(f"--{' and --'.join(ways)}: ask for one part at a time")
    workspace = open_workspace(folder)
    named = entry_id_in_name(ref) is not None or surface_name(ref) is not None
    if not (ways or json or named):
        print_bytes(workspace.pager.get(workspace.pager.resolve(ref).name))
        return FINE
    shown, name = slice_by_name(workspace, ref, None, **ways)
    if json:
        print_json({"name": name, **to_builtins(shown)})
        return FINE
    ending = "" if shown.text.endswith("\n") or not shown.text else "\n"
    print_bytes((shown.text + ending).encode("utf-8", "surrogatepass"))
    if shown.note:
        complain(shown.note)
    return FINE

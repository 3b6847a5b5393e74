"""`loom purge`: take a secret that was found later out of everything that rests."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from msgspec import to_builtins

from loom.cli.exits import FINE, FOUND
from loom.cli.show import AsJson, Folder, Sheet, emit, line, lines, sheet
from loom.purging import PurgedPlace, PurgeReport
from loom.purging import purge as purged
from loom.redact import SECRETS
from loom_paging.rewriting import unfinished


def purge(
    folder: Folder,
    /,
    *,
    values: Annotated[Path | None, Parameter(name="--from")] = None,
    rules: bool = False,
    also: tuple[Path, ...] = (),
    yes: bool = False,
    json: AsJson = False,
) -> int:
    """Take secrets out of a workspace and of all agents below it; shows where, until --yes.

    What to take out is read from stdin, one value a line: never from the command line, which a
    shell remembers. Exit code 0: none is there, or none any more; 1: shown, and still there.

    Parameters
    ----------
    values
        Read the values from this file instead of stdin.
    rules
        Take out what today's rules of redaction find, too; without --from nothing is read.
    also
        A folder beside the workspace: that of the memory, the cache of a toolbox.
    yes
        Do it. Nobody may have the workspace open.
    """
    given = _given(values, rules, folder)
    found = purged(folder, given, rules=SECRETS if rules else None, also=also, dry_run=not yes)
    if json:
        emit({**to_builtins(found), "kinds": found.kinds})
    else:
        _told(found)
    return FOUND if found.left or (found.places and not found.done) else FINE


def _given(values: Path | None, rules: bool, folder: Path) -> list[str]:
    """The values, one a line; none where only rules, or the end of a purge, are asked for."""
    if values is not None:
        return values.read_text("utf-8").splitlines()
    if rules or unfinished(folder):
        return []
    return sys.stdin.read().splitlines()


def _told(found: PurgeReport) -> None:
    if found.resumed:
        line("a purge that was cut short is done to its end")
    if found.places:
        rows = tuple(_row(one) for one in found.places)
        sheet(Sheet(("agent", "place", "where", "secrets>", "now"), rows))
    lines(f"left as it is, no file of Loom's: {name}" for name in found.left)
    total = sum(found.kinds.values())
    kinds = ", ".join(f"{kind} {times}" for kind, times in found.kinds.items())
    if not total:
        line("nothing found")
    elif found.done:
        line(f"purged: {total} in {len(found.places)} places ({kinds})")
    else:
        line(f"{total} in {len(found.places)} places ({kinds}); nothing is changed without --yes")


def _row(one: PurgedPlace) -> tuple[str, ...]:
    return one.agent or "-", one.place, one.where, str(sum(one.kinds.values())), one.became or "-"

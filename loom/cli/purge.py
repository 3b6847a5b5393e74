"""`loom purge`: take secrets found later out of every file of a workspace."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from msgspec import to_builtins
from rich.text import Text

from loom.cli.address_mirrors import address_or_folder, mirror_at
from loom.cli.exits import FINE, FOUND, INTERRUPTED
from loom.cli.output import AsJson, Folder, complain, print_result
from loom.cli.text_tables import table_lines
from loom.errors import BadInput
from loom.redact import SECRETS
from loom.reduce.lines import plural
from loom.rewrite.purge import purge as purged
from loom.rewrite.reports import PurgedPlace, PurgeReport
from loom.rewrite.secrets import KIND
from loom_paging.rewriting import is_unfinished

REVOKE = "Revoke it at its issuer too: whoever read it before may still have it."
ELSEWHERE = (
    "The bucket's versions, replicas and backups, and caches of other machines (~/.cache/loom), may"
    " keep what was there: remove it where they are kept."
)
# Kinds of places in the order they are told: what is derived comes last.
DERIVED = ("checkpoint", "view", "cache", "index")
PLACES = (
    "journal", "page", "snapshot", "note", "memory", "inbox", "bus", "result", "file", "name",
    *DERIVED,
)  # fmt: skip


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
    """Take secrets out of a workspace and of all agents below it.

    Without --yes it shows where the secrets stand, and changes nothing.

    The secrets are read from stdin, one a line: never from the command line,
    which a shell remembers. They are found as they are written, escaped,
    encoded (base64, hexadecimal, percent, UTF-16) or cut off: a piece of 12
    characters is found anywhere; a beginning of half the value, of 6 characters
    at least and no plain word, is found where a text ends or was cut. Names of
    Loom's own files and fields stay, also where a value is such a name.

    All of the purge happens or nothing. A purge that was interrupted half way
    is finished by the next one, which then needs no values and no --yes.

    Exit code 0: there are no secrets, or none any more. 1: secrets are still
    there, or stand in a file that Loom did not write. 2: refused, and nothing
    was changed.

    Args:
        values: Read the secrets from this file instead of stdin.
        rules: Also take out what today's rules of redaction find; without --from nothing is read.
        also: A folder beside the workspace: that of the memory, the cache of a toolbox.
        yes: Take the secrets out. Nobody may have the workspace open.
    """
    try:
        found = _run_purge(folder, values, rules, also, yes)
    except KeyboardInterrupt:
        complain(
            f"interrupted half way: run `loom purge {folder}` again, and it goes on to its end"
            if is_unfinished(folder)
            else "interrupted: either nothing was changed or all of it; run it again to see"
        )
        return INTERRUPTED
    counts = {"kinds": found.kinds, "times": sum(found.kinds.values()), "files": found.files}
    code = FOUND if found.left or (found.places and not found.done) else FINE
    told = _purge_lines(found, mirror_at(folder) is not None)
    return print_result({**to_builtins(found), **counts}, told, json=json, code=code)


def _run_purge(
    folder: Path, values: Path | None, rules: bool, also: tuple[Path, ...], yes: bool
) -> PurgeReport:
    """Finish an interrupted purge, if there is one. Find the secrets, and with `yes` replace them.
    Return the report. Raises BadInput."""
    if is_unfinished(folder):
        ended = purged(folder)
        if values is None and not rules:
            return ended
    text = ""
    try:
        if values is not None:
            text = values.read_text("utf-8-sig")
        elif not rules:
            if sys.stdin.isatty():
                complain("give the secrets, one a line, and end with Ctrl-D")
            text = sys.stdin.read()
    except UnicodeDecodeError as error:
        raise BadInput(
            f"the values are no text in UTF-8 (byte {error.start}): give texts"
        ) from error
    given = [one.removesuffix("\r") for one in text.split("\n")]
    return purged(
        address_or_folder(folder),
        given if values is not None or not rules else [],
        rules=SECRETS if rules else None,
        also=also,
        dry_run=not yes,
    )


def _purge_lines(found: PurgeReport, remote: bool) -> Iterator[str | Text]:
    """Yield the lines to print for a report. `remote` is True for a workspace at an address."""
    if found.resumed:
        yield "A purge that was cut short is now done to its end."
    if found.places:
        yield from _place_table(found.places)
    yield from (f"Left as it is, since Loom did not write it: {name}" for name in found.left)
    total = sum(found.kinds.values())
    if not total:
        yield from [] if found.resumed or found.left else ["Nothing found."]
        return
    given = f"{plural(len(found.values), 'value')}, " if found.values else ""
    held = {"file": found.files, "name": sum(not one.file for one in found.places)}
    where = " and ".join(plural(many, what) for what, many in held.items() if many)
    kinds = {"of the values given" if k == KIND else k: n for k, n in found.kinds.items()}
    by = ", ".join(f"{times:,} {kind}" for kind, times in kinds.items())
    by = f" ({by})" if set(found.kinds) - {KIND} else ""
    yield f"{'Purged' if found.done else 'Found'}: {given}{plural(total, 'place')} in {where}{by}."
    if not found.done:
        yield from (  # a value that ordinary text holds, which the line does not say
            f"Caution: line {one.number} is a common word: {plural(one.times, 'place')} of"
            " ordinary text would change."
            for one in found.values
            if one.common
        )
        yield "Nothing was changed: run it again with --yes to take it out."
    yield REVOKE
    if remote:
        yield ELSEWHERE


def _place_table(places: tuple[PurgedPlace, ...]) -> list[Text]:
    """Return the lines of a table with a row for each kind of file."""
    rows: list[tuple[str, ...]] = []
    for kind in PLACES:
        if mine := [one for one in places if one.place == kind]:
            files = len({(one.agent, one.file) for one in mine})
            times = sum(sum(one.kinds.values()) for one in mine)
            agents = len({one.agent for one in mine} - {""})
            became = ", ".join(sorted({one.became for one in mine} - {""}))
            what = f"{kind} (derived)" if kind in DERIVED else kind
            rows.append((what, f"{files:,}", f"{times:,}", f"{agents:,}" * (agents > 0), became))
    names = ("what", "files>", "places>", "agents below>", "became")
    kept = [at for at in range(len(names)) if any(row[at] for row in rows)]
    return table_lines(
        [names[at] for at in kept], [[row[at] or "-" for at in kept] for row in rows]
    )

"""`loom repair`: all of a damaged workspace that verifies, written into a new folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from msgspec import to_builtins

from loom.cli.elsewhere import place_of
from loom.cli.exits import FINE, FOUND
from loom.cli.show import AsJson, Folder, emit, line, lines
from loom.reduce.lines import counted
from loom.rewrite.repair import repair as repaired
from loom.rewrite.reports import LeftOut, RepairedWorkspace, RepairReport

SHOWN = 20  # of each kind of loss; --json has all

# What is counted, and how the verdict calls it: content first.
LOST = {
    "entries": ("entry", "entries"),
    "results": ("result", "results"),
    "pages": ("page", "pages"),
    "files": ("file", "files"),
    "requests": ("request", "requests"),
    "missing": ("commit", "commits"),
    "left_out": (),
}

NewFolder = Annotated[
    Path, Parameter(help="The folder to write, or an address (s3://…): nothing is there yet.")
]


def repair(folder: Folder, new: NewFolder, /, *, json: AsJson = False) -> int:
    """Write all that verifies of a damaged workspace into a new folder.

    Nothing is changed in the old one. Agents below, results, the bus and
    notes come along. What is lost is told to the line and the page; pages
    that are lost are retired in the new workspace: reading one says so.

    Exit code 0: nothing was lost. 1: something was. 2: refused.
    """
    found = repaired(place_of(folder), place_of(new))
    if json:
        emit({**to_builtins(found), "lost": found.lost, "counts": _counts(found)})
    else:
        for one in found.workspaces:
            _told(one)
        line(_verdict(found, new))
    return FOUND if found.lost else FINE


def _told(one: RepairedWorkspace) -> None:
    """Say of one workspace what is lost, and what was left out for it."""
    where = f"{one.agent}: " if one.agent else ""
    content = [left for left in one.left_out if not left.decision]
    decided = [left for left in one.left_out if left.decision]
    said = [
        *([f"lost: {_runs('entry', one.entries, 'entries')}"] if one.entries else []),
        *_few([f"lost: the result of {call}; the model is told" for call in one.results]),
        *_grouped(content),
        *_few([f"lost: {page.name} is {page.why}" for page in one.pages]),
        *_few([f"lost: {file.where}: {file.what}" for file in one.files]),
        *([f"lost: {_runs('request', one.requests)}"] if one.requests else []),
        *_few([f"lost: {lost.segment}, {_place(lost.line)}: {lost.why}" for lost in one.lines]),
        *([f"lost: {_runs('commit', one.missing)}"] if one.missing else []),
        *_few([f"not copied, no commit that is left names it: {name}" for name in one.unnamed]),
        *([f"a torn last line of {one.torn:,} bytes, which no call wrote"] if one.torn else []),
        *_grouped(decided),
    ]
    lines(where + text for text in said)


def _grouped(left: Iterable[LeftOut]) -> Iterator[str]:
    """A line for each kind of record that was left out: how many, where, and why."""
    kinds: dict[str, list[LeftOut]] = {}
    for each in left:
        kinds.setdefault(each.kind, []).append(each)
    for kind, some in kinds.items():
        entries = tuple(dict.fromkeys(each.entry for each in some if each.entry))
        of = f" of {_runs('entry', entries, 'entries')}" if entries else ""
        commits = _runs("commit", tuple(dict.fromkeys(each.commit for each in some)))
        whys = list(dict.fromkeys(each.why for each in some))
        others = f"; {counted(len(whys) - 1, 'other reason')}" if whys[1:] else ""
        yield f"left out: {len(some):,} × {kind}{of} ({commits}): {whys[0]}{others}"


def _place(line: int) -> str:
    return f"line {line}" if line else "all of it"


def _few(said: list[str]) -> list[str]:
    more = len(said) - SHOWN
    return said if more <= 0 else [*said[:SHOWN], f"… and {more:,} more like it (--json has all)"]


def _runs(word: str, numbers: tuple[int, ...], many: str = "") -> str:
    """Numbers as ranges: "commits 3–5, 9"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    shown = ", ".join("–".join(map(str, run)) for run in runs[:SHOWN])
    more = f", … ({len(numbers):,} in all)" if len(runs) > SHOWN else ""
    return f"{word if len(numbers) == 1 else many or word + 's'} {shown}{more}"


def _counts(found: RepairReport) -> dict[str, int]:
    """How many of each there are, in all workspaces together."""
    sums = {kind: sum(len(getattr(one, kind)) for one in found.workspaces) for kind in LOST}
    return {"commits": sum(one.commits for one in found.workspaces), **sums}


def _verdict(found: RepairReport, new: Path) -> str:
    counts = _counts(found)
    workspaces = counted(len(found.workspaces), "workspace")
    where = f"{counted(counts['commits'], 'commit')} of {workspaces} in {new}"
    lost = ", ".join(
        f"{counts[kind]:,} {forms[counts[kind] != 1]}"
        for kind, forms in LOST.items()
        if forms and counts[kind]
    )
    return f"{where}; lost: {lost or 'see above'}" if found.lost else f"{where}: nothing was lost"

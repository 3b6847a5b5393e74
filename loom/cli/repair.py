"""`loom repair`: all of a damaged workspace that verifies, written into a new folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from msgspec import to_builtins

from loom.cli.exits import FINE, FOUND
from loom.cli.show import AsJson, Folder, emit, line, lines
from loom.reduce.lines import counted
from loom.repairing import RepairedWorkspace, RepairReport
from loom.repairing import repair as repaired

SHOWN = 20  # of each kind of loss; --json has all

NewFolder = Annotated[Path, Parameter(help="The folder to write, which is not there yet.")]


def repair(folder: Folder, new: NewFolder, /, *, json: AsJson = False) -> int:
    """Write all that verifies of a damaged workspace into a new folder.

    Nothing is changed in the old one. Agents below, results, the bus and
    notes come along. What is lost is told to the line and the page; pages
    that are lost are retired in the new workspace: reading one says so.

    Exit code 0: nothing was lost. 1: something was. 2: refused.
    """
    found = repaired(folder, new)
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
    said = [
        *_few([f"lost: {lost.segment}, {_place(lost.line)}: {lost.why}" for lost in one.lines]),
        *([f"lost: {_runs('commit', one.missing)}"] if one.missing else []),
        *([f"lost: {_runs('entry', one.entries, 'entries')}"] if one.entries else []),
        *_few([f"lost: the result of {call}; the model is told" for call in one.results]),
        *_few([_left(left.commit, left.kind, left.entry, left.why) for left in one.left_out]),
        *_few([_page(page.name, page.entry, page.source, page.why) for page in one.pages]),
        *_few([f"lost: {file.where}: {file.what}" for file in one.files]),
        *_few([f"not copied, no commit that is left names it: {name}" for name in one.unnamed]),
        *([f"a torn last line of {one.torn:,} bytes, which no call wrote"] if one.torn else []),
    ]
    lines(where + text for text in said)


def _place(line: int) -> str:
    return f"line {line}" if line else "all of it"


def _left(commit: int, kind: str, entry: int, why: str) -> str:
    of = f" of entry {entry}" if entry else ""
    return f"left out: {kind}{of} (commit {commit}): {why}"


def _page(name: str, entry: str, source: str, why: str) -> str:
    of = " ".join(filter(None, [entry and f"of {entry}", source]))
    return f"lost: {name} is {why}" + (f" ({of})" if of else "")


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
    kinds = ("missing", "entries", "results", "left_out", "pages", "files")
    sums = {kind: sum(len(getattr(one, kind)) for one in found.workspaces) for kind in kinds}
    return {"commits": sum(one.commits for one in found.workspaces), **sums}


def _verdict(found: RepairReport, new: Path) -> str:
    counts = _counts(found)
    workspaces = counted(len(found.workspaces), "workspace")
    where = f"{counted(counts['commits'], 'commit')} of {workspaces}"
    if not found.lost:
        return f"{where} in {new}: nothing was lost"
    lost = ", ".join(
        counted(counts[kind], word)
        for kind, word in (
            ("missing", "commit"),
            ("results", "result"),
            ("pages", "page"),
            ("files", "file"),
        )
        if counts[kind]
    )
    return f"{where} in {new}; lost: {lost or 'what is told above'}"

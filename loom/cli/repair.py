"""`loom repair`: write all intact parts of a damaged workspace into a new folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from msgspec import to_builtins

from loom.cli.address_mirrors import address_or_folder
from loom.cli.exits import FINE, FOUND
from loom.cli.output import AsJson, Folder, print_result
from loom.reduce.lines import plural
from loom.rewrite.repair import repair as repaired
from loom.rewrite.reports import LeftOut, RepairedWorkspace

SHOWN = 20  # of each kind of loss; --json has all

# What the verdict names, and how: content first.
FORMS = {
    "entries": ("entry", "entries"),
    "results": ("result", "results"),
    "pages": ("page", "pages"),
    "files": ("file", "files"),
    "requests": ("request", "requests"),
    "missing": ("commit", "commits"),
}
LOST = (*FORMS, "left_out")  # what is counted

NewFolder = Annotated[
    Path, Parameter(help="The folder to write, or an address (s3://…): nothing is there yet.")
]


def repair(folder: Folder, new: NewFolder, /, *, json: AsJson = False) -> int:
    """Write all that verifies of a damaged workspace into a new folder.

    Nothing is changed in the old one. Agents below, results, the bus and notes
    are repaired too. Losses are listed to the line and the page; a lost page is
    retired in the new workspace: reading it says that it was lost.

    Exit code 0: nothing was lost. 1: something was. 2: refused.
    """
    found = repaired(address_or_folder(folder), address_or_folder(new))
    counts = {kind: sum(len(getattr(one, kind)) for one in found.workspaces) for kind in LOST}
    counts = {"commits": sum(one.commits for one in found.workspaces), **counts}
    whole = {**to_builtins(found), "lost": found.lost, "counts": counts}
    told = (text for one in found.workspaces for text in _loss_lines(one))
    where = f"{plural(counts['commits'], 'commit')} of"
    where += f" {plural(len(found.workspaces), 'workspace')} in {new}"
    many = {kind: f"{counts[kind]:,} {forms[counts[kind] != 1]}" for kind, forms in FORMS.items()}
    lost = ", ".join(text for kind, text in many.items() if counts[kind]) or "see above"
    verdict = f"{where}; lost: {lost}" if found.lost else f"{where}: nothing was lost"
    return print_result(whole, (*told, verdict), json=json, code=FOUND if found.lost else FINE)


def _loss_lines(one: RepairedWorkspace) -> Iterator[str]:
    """Yield a line for each loss of one workspace, and for each kind of record left out."""
    content = [left for left in one.left_out if not left.decision]
    decided = [left for left in one.left_out if left.decision]
    said = [
        *([f"lost: {_ranges_text('entry', one.entries, 'entries')}"] if one.entries else []),
        *_first_lines(f"lost: the result of {call}; the model is told" for call in one.results),
        *_left_out_lines(content),
        *_first_lines(f"lost: {page.name} is {page.why}" for page in one.pages),
        *_first_lines(f"lost: {file.where}: {file.what}" for file in one.files),
        *([f"lost: {_ranges_text('request', one.requests)}"] if one.requests else []),
        *_first_lines(
            f"lost: {at.segment}, {f'line {at.line}' if at.line else 'all of it'}: {at.why}"
            for at in one.lines
        ),
        *([f"lost: {_ranges_text('commit', one.missing)}"] if one.missing else []),
        *_first_lines(
            f"not copied, no commit that is left names it: {name}" for name in one.unnamed
        ),
        *([f"a torn last line of {one.torn:,} bytes, which no call wrote"] if one.torn else []),
        *_left_out_lines(decided),
    ]
    yield from ((f"{one.agent}: " if one.agent else "") + text for text in said)


def _left_out_lines(left: Iterable[LeftOut]) -> Iterator[str]:
    """Yield a line for each kind of record that was left out: how many, of which entries and
    commits, and why."""
    kinds: dict[str, list[LeftOut]] = {}
    for each in left:
        kinds.setdefault(each.kind, []).append(each)
    for kind, some in kinds.items():
        entries = tuple(dict.fromkeys(each.entry for each in some if each.entry))
        of = f" of {_ranges_text('entry', entries, 'entries')}" if entries else ""
        commits = _ranges_text("commit", tuple(dict.fromkeys(each.commit for each in some)))
        whys = list(dict.fromkeys(each.why for each in some))
        others = f"; {plural(len(whys) - 1, 'other reason')}" if whys[1:] else ""
        yield f"left out: {len(some):,} × {kind}{of} ({commits}): {whys[0]}{others}"


def _first_lines(texts: Iterable[str]) -> list[str]:
    """Return the first SHOWN texts, and a line that says how many more there are, if any."""
    said = [*texts]
    more = len(said) - SHOWN
    return said if more <= 0 else [*said[:SHOWN], f"… and {more:,} more like it (--json has all)"]


def _ranges_text(word: str, numbers: tuple[int, ...], many: str = "") -> str:
    """Return numbers as ranges after a word: "commits 3–5, 9". `many` is an irregular plural of
    `word`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    shown = ", ".join("–".join(map(str, run)) for run in runs[:SHOWN])
    more = f", … ({len(numbers):,} in all)" if len(runs) > SHOWN else ""
    return f"{word if len(numbers) == 1 else many or word + 's'} {shown}{more}"

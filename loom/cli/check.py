"""`loom check`: is everything there, whole, lawful, and able to come back?"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import MsgspecError, Struct, to_builtins
from msgspec.structs import replace

from loom.capabilities.agents.place import FOLDER, FORKS
from loom.cli.elsewhere import freshened, store_at
from loom.cli.exits import FINE, FOUND
from loom.cli.show import AsJson, Folder, emit, line, lines, sized
from loom.errors import LoomError
from loom.inspect.tally import kept_pages
from loom.inspect.untrue import untrue
from loom.policy import policy_of
from loom.reduce.lines import counted
from loom.rewrite.beside import unsound
from loom.rewrite.homes import agents_in
from loom.session.archive.document import disagreement
from loom.session.archive.folded import records_of, retired_by
from loom.session.archive.half_purged import no_workspace
from loom.session.archive.restore import restore
from loom.session.archive.workspace import Workspace
from loom_paging import Expired, FileStore, PagingError, Problem, Report
from loom_paging import check as fsck
from loom_paging.checkpoint import STATE
from loom_partitions import laws
from loom_partitions.records import HandedOver
from loom_partitions.window import Window

LAWS = (laws.paired, laws.ordered, laws.counted)
LINKED = "is no part of the workspace; put the folder itself there"
LOOKS = 3  # at what is wrong: what is so each time is so


class Checked(Struct, frozen=True):
    """One workspace of a tree, checked: its folder below the first, "" for that; its entries, and
    the bytes of its pages as `loom stat` counts them."""

    agent: str
    report: Report
    problems: tuple[Problem, ...]
    entries: int
    page_bytes: int = 0


def check(folder: Folder, /, *, json: AsJson = False) -> int:
    """Check a workspace and those below it: files, laws and entries."""
    if not (folder / "journal").is_dir():
        raise FileNotFoundError(no_workspace(folder))
    found = [
        _checked(each, "" if each == folder else each.relative_to(folder).as_posix())
        for each in agents_in(folder)
    ]
    problems = [problem for one in found for problem in one.problems]
    if json:
        emit({**_as_json(found[0]), "below": [_as_json(one) for one in found[1:]]})
    else:
        lines(text for one in found for text in _told(one))
        if len(found) > 1:
            verdict = counted(len(problems), "problem") if problems else "all whole"
            line(f"{counted(len(found), 'workspace')}: {verdict}")
        if any(one.report.problems for one in found):  # in pages or the journal
            line(f"`loom repair {shlex.quote(str(folder))} NEW` writes all that verifies to NEW")
    return FOUND if problems else FINE


def _checked(folder: Path, agent: str) -> Checked:
    """One workspace checked; what is found wrong stands if it is there at a second look.

    Its agent may be at work: pages go and are packed between the moment the journal is read and the
    moment they are. A second look reads the journal anew, which by then says so.
    """
    found = _seen(folder, agent)
    for _ in range(LOOKS - 1):
        if not found.problems:
            break
        freshened(folder)
        again = _seen(folder, agent)
        still = tuple(problem for problem in again.problems if problem in found.problems)
        found = replace(again, problems=still)
    return found


def _seen(folder: Path, agent: str) -> Checked:
    store = FileStore(folder, create=False)
    report = fsck(store_at(folder) or store, retired_by)
    (entries, size), inside, delivered = _inside(folder)
    beside = unsound(store, delivered)
    return Checked(
        agent, report, (*report.problems, *inside, *beside, *_links(folder)), entries, size
    )


def _links(folder: Path) -> Iterator[Problem]:
    """Yield the folders of agents that lie elsewhere: those are not checked, nor do they go along
    where the workspace is copied."""
    for name in (FOLDER, FORKS):
        if (folder / name).is_symlink():
            yield Problem("outside", name, f"a link: what it leads to, {LINKED}")


def _as_json(one: Checked) -> dict[str, Any]:
    more: dict[str, Any] = {
        "entries": one.entries,
        "ok": not one.problems,
        "page_bytes": one.page_bytes,
    }
    more |= {"agent": one.agent} if one.agent else {}
    return {**to_builtins(one.report), "problems": to_builtins(one.problems), **more}


def _told(one: Checked) -> Iterator[str]:
    report, below = one.report, f"{one.agent}/" if one.agent else ""
    for what, problems in (("problem", one.problems), ("note", report.notes)):
        yield from (f"{what}: {below}{each.where}: {each.what} [{each.kind}]" for each in problems)
    but = " but for what was retired" if report.retired else ""
    whole = f"whole, lawful and restorable{but}"
    verdict = counted(len(one.problems), "problem") if one.problems else whole
    retired = f", {report.retired:,} retired" if report.retired else ""
    yield (
        (f"{one.agent}: " if one.agent else "")
        + f"{counted(report.commits, 'commit')}, {counted(report.pages, 'page')}"
        f" ({sized(one.page_bytes)}){retired}, {counted(report.snapshots, 'snapshot')},"
        f" {one.entries} {'entry' if one.entries == 1 else 'entries'},"
        f" {sized(report.bytes)} read of all: {verdict}"
    )


def _inside(folder: Path) -> tuple[tuple[int, int], list[Problem], str | None]:
    """(entries of the journal and bytes of its pages, what is wrong with the window it folds to and
    with them, the sha256 of the result the agent recorded that it gave, None for none)."""
    try:
        workspace = Workspace.at_path(folder, write=False, checkpoint=False)
    except (PagingError, MsgspecError, LookupError) as error:
        return (0, 0), [Problem("fold", "journal", f"it folds to no window: {error}")], None
    entries = sorted(workspace.index.commits)
    found = [
        *_unlawful(workspace.window),
        *_contradicted(workspace),
        *(Problem("checkpoint", STATE, what) for what in untrue(workspace)),
        *_unrestorable(workspace, entries),
    ]
    return (len(entries), kept_pages(workspace).bytes), found, _delivered(workspace)


def _delivered(workspace: Workspace) -> str | None:
    """The sha256 of the result the agent gave, as its journal has it."""
    if not workspace.window.sent.delivered:
        return None
    commits = (records_of(commit) for commit in workspace.journal.scan())
    given = (one for records in commits for one in records if isinstance(one, HandedOver))
    return next((one.sha256 for one in given if not one.child), None)


def _unlawful(window: Window) -> Iterator[Problem]:
    # Between an input and the turn that makes room for it a window may stand above its budget.
    asked = (*LAWS, laws.bounded) if window.sent.turned else LAWS
    for law in asked:
        for what in law(window):
            yield Problem(law.__name__, "the window", what)
    try:
        policy_of(window)
    except LoomError as error:
        yield Problem("policy", "the window", str(error))


def _contradicted(workspace: Workspace) -> Iterator[Problem]:
    """Yield what the newest snapshot says other than the journal; damage is told with the files."""
    told = disagreement(workspace)
    if told is not None and not told.damaged:
        yield Problem("snapshot", told.snapshot, f"{told.what} (commit {told.commit})")


def _unrestorable(workspace: Workspace, entries: list[int]) -> Iterator[Problem]:
    for entry in entries:
        try:
            restore(workspace, entry)
        except Expired:  # what was retired is told of, and nothing is wrong
            continue
        except (LoomError, MsgspecError, OSError) as error:
            yield Problem("unrestorable", f"entry {entry}", str(error))

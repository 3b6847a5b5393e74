"""`loom check`: are a workspace's files undamaged, does its window keep Loom's laws (rules for
every window), can its entries be restored?"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import MsgspecError, Struct, to_builtins
from msgspec.structs import replace

from loom.capabilities.agents.place import FOLDER, FORKS
from loom.cli.address_mirrors import mirrored_store, refresh_mirror
from loom.cli.exits import FINE, FOUND
from loom.cli.output import AsJson, Folder, bytes_text, print_result
from loom.errors import LoomError
from loom.inspect.checkpoint_check import checkpoint_differences
from loom.inspect.tally import page_tally
from loom.policy import recorded_policy
from loom.reduce.lines import plural
from loom.rewrite.homes import agents_in
from loom.rewrite.other_files import other_file_problems
from loom.session.archive.folded_journal import records_of, retired_pages
from loom.session.archive.half_purged import no_workspace_message
from loom.session.archive.restore import restore_entry
from loom.session.archive.snapshot_document import snapshot_disagreement
from loom.session.archive.workspace import Workspace
from loom_paging import Expired, FileStore, PagingError, Problem, Report
from loom_paging import check as fsck
from loom_paging.checkpoint import STATE
from loom_partitions import laws
from loom_partitions.records import HandedOver

LAWS = (laws.paired, laws.ordered, laws.counted)
LINKED = "is no part of the workspace; put the folder itself there"
LOOKS = 3  # at what is wrong: what is so each time is so


class CheckedWorkspace(Struct, frozen=True):
    """The check of one workspace. `agent` is its folder below the first workspace, "" for the
    first. `report` is the check of its journal and pages. `problems` are the problems of all its
    files, `entries` the number of its entries, `page_bytes` the bytes of its pages."""

    agent: str
    report: Report
    problems: tuple[Problem, ...]
    entries: int
    page_bytes: int = 0


def check(folder: Folder, /, *, json: AsJson = False) -> int:
    """Check a workspace and all workspaces below it: their files, laws and entries."""
    if not (folder / "journal").is_dir():
        raise FileNotFoundError(no_workspace_message(folder))
    found = [
        _check_workspace(each, "" if each == folder else each.relative_to(folder).as_posix())
        for each in agents_in(folder)
    ]
    code = FOUND if any(one.problems for one in found) else FINE
    whole = {**_workspace_json(found[0]), "below": [_workspace_json(one) for one in found[1:]]}
    return print_result(whole, _report_lines(folder, found), json=json, code=code)


def _workspace_json(one: CheckedWorkspace) -> dict[str, Any]:
    more: dict[str, Any] = {"entries": one.entries, "ok": not one.problems}
    more |= {"page_bytes": one.page_bytes} | ({"agent": one.agent} if one.agent else {})
    return {**to_builtins(one.report), "problems": to_builtins(one.problems), **more}


def _report_lines(folder: Path, found: list[CheckedWorkspace]) -> Iterator[str]:
    """Yield the lines of the output: the problems of each workspace, verdicts, and the `loom
    repair` command if it can help."""
    for one in found:
        report, below = one.report, f"{one.agent}/" if one.agent else ""
        for what, problems in (("problem", one.problems), ("note", report.notes)):
            yield from (f"{what}: {below}{p.where}: {p.what} [{p.kind}]" for p in problems)
        but = " but for what was retired" if report.retired else ""
        whole = f"whole, lawful and restorable{but}"
        verdict = plural(len(one.problems), "problem") if one.problems else whole
        retired = f", {report.retired:,} retired" if report.retired else ""
        yield (
            (f"{one.agent}: " if one.agent else "")
            + f"{plural(report.commits, 'commit')}, {plural(report.pages, 'page')}"
            f" ({bytes_text(one.page_bytes)}){retired}, {plural(report.snapshots, 'snapshot')},"
            f" {one.entries} {'entry' if one.entries == 1 else 'entries'},"
            f" {bytes_text(report.bytes)} read of all: {verdict}"
        )
    if len(found) > 1:
        many = sum(len(one.problems) for one in found)
        verdict = plural(many, "problem") if many else "all whole"
        yield f"{plural(len(found), 'workspace')}: {verdict}"
    if any(one.report.problems for one in found):  # in pages or the journal
        yield f"`loom repair {shlex.quote(str(folder))} NEW` writes all that verifies to NEW"


def _check_workspace(folder: Path, agent: str) -> CheckedWorkspace:
    """Check one workspace, up to LOOKS times while there are problems. Return only the problems
    that every check finds: a page may be removed or packed by the agent during a check."""
    found = _check_once(folder, agent)
    for _ in range(LOOKS - 1):
        if not found.problems:
            break
        refresh_mirror(folder)
        again = _check_once(folder, agent)
        still = tuple(problem for problem in again.problems if problem in found.problems)
        found = replace(again, problems=still)
    return found


def _check_once(folder: Path, agent: str) -> CheckedWorkspace:
    """Check the files, the window and the entries of one workspace."""
    store = FileStore(folder, create=False)
    report = fsck(mirrored_store(folder) or store, retired_pages)
    (entries, size), inside, delivered = _check_contents(folder)
    # Agents that lie elsewhere are not checked, nor do they go along where it is copied.
    links = [
        Problem("outside", name, f"a link: what it leads to, {LINKED}")
        for name in (FOLDER, FORKS)
        if (folder / name).is_symlink()
    ]
    problems = (*report.problems, *inside, *other_file_problems(store, delivered), *links)
    return CheckedWorkspace(agent, report, problems, entries, size)


def _check_contents(folder: Path) -> tuple[tuple[int, int], list[Problem], str | None]:
    """Return a tuple (counts, problems, sha256): a pair (number of entries, bytes of pages), the
    problems of window and entries, and the sha256 of the result that the agent delivered, or None.
    """
    try:
        workspace = Workspace.at_path(folder, write=False, checkpoint=False)
    except (PagingError, MsgspecError, LookupError) as error:
        return (0, 0), [Problem("fold", "journal", f"it folds to no window: {error}")], None
    entries, delivered = sorted(workspace.index.commits), None
    if workspace.window.sent.delivered:
        commits = (records_of(commit) for commit in workspace.journal.scan())
        given = (one for records in commits for one in records if isinstance(one, HandedOver))
        delivered = next((one.sha256 for one in given if not one.child), None)
    return (
        (len(entries), page_tally(workspace).bytes),
        [*_content_problems(workspace, entries)],
        delivered,
    )


def _content_problems(workspace: Workspace, entries: list[int]) -> Iterator[Problem]:
    """Yield a Problem for each law that the window breaks, each checkpoint or newest snapshot that
    differs from the journal, and each entry that cannot be restored."""
    window = workspace.window
    # Between an input and the turn that makes room for it a window may stand above its budget.
    for law in (*LAWS, laws.bounded) if window.sent.turned else LAWS:
        for what in law(window):
            yield Problem(law.__name__, "the window", what)
    try:
        recorded_policy(window)
    except LoomError as error:
        yield Problem("policy", "the window", str(error))
    told = snapshot_disagreement(workspace)
    if told is not None and not told.damaged:  # damage is told with the files
        yield Problem("snapshot", told.snapshot, f"{told.what} (commit {told.commit})")
    yield from (Problem("checkpoint", STATE, what) for what in checkpoint_differences(workspace))
    for entry in entries:
        try:
            restore_entry(workspace, entry)
        except Expired:  # what was retired is told of, and nothing is wrong
            continue
        except (LoomError, MsgspecError, OSError) as error:
            yield Problem("unrestorable", f"entry {entry}", str(error))

"""`repair`: write all intact parts of a damaged workspace into a new workspace. The damaged one is
left unchanged."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import ExitStack
from os import PathLike
from pathlib import Path

from msgspec.structs import replace

from loom.capabilities.agents.place import FOLDER
from loom.errors import BadInput
from loom.rewrite.homes import homes_below, lock_all
from loom.rewrite.mirror import StoreMirror, home_folder, temporary_mirror, upload_mirror
from loom.rewrite.new_folder import new_folder_at
from loom.rewrite.other_files import OWN, copy_other_files
from loom.rewrite.repair_journal import SpawnLimits, repair_journal
from loom.rewrite.reports import RepairedWorkspace, RepairReport
from loom.session.archive.workspace import OTHERS
from loom_paging import FileStore, Problem
from loom_paging.remote.address import is_valid_address
from loom_paging.rewriting import is_unfinished, unfinished_rewrite_error


def repair(
    path: str | PathLike[str], new: str | PathLike[str], *, durable: bool = True
) -> RepairReport:
    """Write all intact parts of a workspace into the new folder `new`; return a report of losses.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as home:
    ...     loom.open(f"{home}/w").close()
    ...     loom.repair(f"{home}/w", f"{home}/new").lost
    False

    Every line of the journal is read on its own, and every page is checked against its hash. Agents
    below, their results, the event bus and the notes are repaired too. Commits and entries keep
    their numbers. A record that depends on a lost one is left out. Reading a lost page in the new
    workspace raises `loom.errors.Expired`. Nothing in `path` is changed. At the end `new` is whole,
    or does not exist. `path` and `new` may be addresses on an object store.

    Raises StoreLocked while any agent of the tree is open, FileNotFoundError if there is no
    workspace, BadInput if `new` holds anything or lies within `path`, NewerWorkspace, and
    PagingError for a workspace with an unfinished purge."""
    if is_valid_address(path):
        with temporary_mirror(str(path), salvages=True) as mirror:
            return _with_store_damage(mirror, repair(mirror.folder, new, durable=durable))
    if is_valid_address(new):
        with temporary_mirror(str(new), fill=False) as mirror:
            report = repair(path, mirror.folder, durable=False)
            upload_mirror(mirror)
            return report
    root, to = Path(path).resolve(), Path(new).resolve()
    if not any((root / name).is_dir() for name in ("journal", "outputs")):
        raise FileNotFoundError(f"{root} is no workspace: it has no journal folder")
    if to == root or root in to.parents:
        raise BadInput(f"{to} lies in the workspace {root}: name a folder beside it")
    if is_unfinished(root):
        raise unfinished_rewrite_error(str(root))
    with ExitStack() as held:
        lock_all(root, held)
        making = held.enter_context(new_folder_at(to, durable=durable))
        return RepairReport(tuple(_repair_tree(root, making, "", SpawnLimits(), durable=durable)))


def _with_store_damage(mirror: StoreMirror, report: RepairReport) -> RepairReport:
    """Return the report with added damage: damaged objects of the store's log, and files that could
    not be read into the mirror."""
    found: dict[str, list[Problem]] = {}
    for agent, where, what in mirror.damage():
        found.setdefault(agent, []).append(Problem("log", where, what))
    for name, error in sorted(mirror.unread.items()):
        rest = name.removeprefix(f"{(agent := home_folder(name))}/")
        if not rest.startswith(OWN):
            found.setdefault(agent, []).append(Problem("file", rest, str(error)))
    return RepairReport(
        tuple(
            replace(one, files=(*one.files, *found.pop(one.agent, ()))) for one in report.workspaces
        )
        + tuple(RepairedWorkspace(agent, files=tuple(some)) for agent, some in found.items())
    )


def _repair_tree(
    folder: Path,
    to: Path,
    agent: str,
    birth: SpawnLimits,
    damaged_above: Collection[str] = (),
    *,
    durable: bool,
) -> Iterator[RepairedWorkspace]:
    """Repair the workspace `folder` and all workspaces below it into the folder `to`; yield the
    report of each. `agent` is the workspace's folder below the first one, `birth` holds the budget
    and depth it was spawned with. `damaged_above` names files found damaged in the parent's repair.
    """
    old = FileStore(folder, durable=False, create=False, others=OTHERS)
    new = FileStore(to, durable=durable)
    below = homes_below(folder)
    children = tuple(Path(name).name for name in below if name.startswith(FOLDER))
    told, standing = repair_journal(old, new, agent, children, birth)
    files = copy_other_files(old, new, standing.delivered, damaged_above)
    new.close()
    yield replace(told, files=files)
    bad = (*damaged_above, *(problem.where for problem in files))
    for name in below:
        theirs = [one.removeprefix(f"{name}/") for one in bad if one.startswith(f"{name}/")]
        child = f"{agent}/{name}" if agent else name
        known = standing.spawned.get(Path(name).name)
        born = SpawnLimits(known.budget if known else None, standing.window.working.depth + 1)
        yield from _repair_tree(folder / name, to / name, child, born, theirs, durable=durable)

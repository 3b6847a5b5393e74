"""`repair`: a new workspace of all that verifies in a damaged one, which is left as it is."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import ExitStack
from os import PathLike
from pathlib import Path

from msgspec.structs import replace

from loom.capabilities.agents.place import FOLDER
from loom.errors import BadInput
from loom.rewrite.beside import OWN, files_copied
from loom.rewrite.homes import homes_below, lock_all
from loom.rewrite.mirror import StoreMirror, home_of, mirrored, uploaded
from loom.rewrite.new_folder import made_at
from loom.rewrite.repair_journal import Birth, journal_repaired
from loom.rewrite.reports import RepairedWorkspace, RepairReport
from loom.session.archive.workspace import OTHERS
from loom_paging import FileStore, Problem
from loom_paging.remote.address import is_elsewhere
from loom_paging.rewriting import unfinished, unfinished_rewrite


def repair(
    path: str | PathLike[str], new: str | PathLike[str], *, durable: bool = True
) -> RepairReport:
    """Write all of a workspace that verifies into the folder `new`, and tell what is lost.

    Every line of the journal is read on its own, every page held against its hash; agents below,
    their results, the bus and the notes come along. Commits and entries keep their numbers. What
    does not stand without what is lost is left out. Pages that are lost are retired in
    the new workspace: reading one raises `loom.errors.Expired`. Nothing in `path` is changed, and
    `new` is there at the end, whole, or not at all. Both may be addresses on an object store.

    Raises StoreLocked while any agent of the tree is open, FileNotFoundError where there is no
    workspace, BadInput for a folder `new` that holds anything or lies within `path`,
    NewerWorkspace, PagingError for one that is half purged.
    """
    if is_elsewhere(path):
        with mirrored(str(path), salvages=True) as mirror:
            return _with_damage(mirror, repair(mirror.folder, new, durable=durable))
    if is_elsewhere(new):
        with mirrored(str(new), fill=False) as mirror:
            report = repair(path, mirror.folder, durable=False)
            uploaded(mirror)
            return report
    root, to = Path(path).resolve(), Path(new).resolve()
    if not any((root / name).is_dir() for name in ("journal", "outputs")):
        raise FileNotFoundError(f"{root} is no workspace: it has no journal folder")
    if to == root or root in to.parents:
        raise BadInput(f"{to} lies in the workspace {root}: name a folder beside it")
    if unfinished(root):
        raise unfinished_rewrite(str(root))
    with ExitStack() as held:
        lock_all(root, held)
        making = held.enter_context(made_at(to, durable=durable))
        return RepairReport(tuple(_repaired(root, making, "", Birth(), durable=durable)))


def _with_damage(mirror: StoreMirror, report: RepairReport) -> RepairReport:
    """A report with what the mirror lacks and does not show: damaged objects of the store's log,
    and files beside journal and pages that cannot be read. What is derived is made again."""
    found: dict[str, list[Problem]] = {}
    for agent, where, what in mirror.damage():
        found.setdefault(agent, []).append(Problem("log", where, what))
    for name, error in sorted(mirror.unread.items()):
        rest = name.removeprefix(f"{(agent := home_of(name))}/")
        if not rest.startswith(OWN):
            found.setdefault(agent, []).append(Problem("file", rest, str(error)))
    return RepairReport(
        tuple(
            replace(one, files=(*one.files, *found.pop(one.agent, ()))) for one in report.workspaces
        )
        + tuple(RepairedWorkspace(agent, files=tuple(some)) for agent, some in found.items())
    )


def _repaired(
    folder: Path, to: Path, agent: str, birth: Birth, above: Collection[str] = (), *, durable: bool
) -> Iterator[RepairedWorkspace]:
    """Repair a workspace, then those below it; `above` are its files that the one above found
    damaged."""
    old = FileStore(folder, durable=False, create=False, others=OTHERS)
    new = FileStore(to, durable=durable)
    below = homes_below(folder)
    children = tuple(Path(name).name for name in below if name.startswith(FOLDER))
    told, standing = journal_repaired(old, new, agent, children, birth)
    files = files_copied(old, new, standing.delivered, above)
    new.close()
    yield replace(told, files=files)
    bad = (*above, *(problem.where for problem in files))
    for name in below:
        theirs = [one.removeprefix(f"{name}/") for one in bad if one.startswith(f"{name}/")]
        child = f"{agent}/{name}" if agent else name
        known = standing.spawned.get(Path(name).name)
        born = Birth(known.budget if known else None, standing.window.working.depth + 1)
        yield from _repaired(folder / name, to / name, child, born, theirs, durable=durable)

"""`repair`: a new workspace of all that verifies in a damaged one, which is left as it is."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import ExitStack
from errno import EACCES, EPERM, EROFS
from os import PathLike
from pathlib import Path

from msgspec.structs import replace

from loom.capabilities.agents.place import FOLDER, FORKS
from loom.elsewhere.mirror import StoreMirror, home_of, mirrored
from loom.elsewhere.rewritten import uploaded
from loom.engine.archive.workspace import OTHERS
from loom.errors import LoomError
from loom.moving.errors import PlaceTaken
from loom.moving.new_folder import made_at
from loom.repairing.beside import OWN
from loom.repairing.files import files_copied
from loom.repairing.first_record import Birth
from loom.repairing.journal import journal_repaired
from loom.repairing.report import RepairedWorkspace, RepairReport
from loom.repairing.standing import Standing
from loom_paging import FileStore, Lock, Problem, StoreLocked, writer_of
from loom_paging.names import LOCK, TEMPORARY
from loom_paging.remote.address import is_elsewhere
from loom_paging.rewriting import UnfinishedRewrite, unfinished

READ_ONLY = frozenset({EACCES, EPERM, EROFS})


class BadRepair(LoomError):
    """What was asked for cannot be repaired, or not to there; nothing was written."""


def repair(
    path: str | PathLike[str], new: str | PathLike[str], *, durable: bool = True
) -> RepairReport:
    """Write all of a workspace that verifies into the folder `new`, and tell what is lost.

    Every line of the journal is read on its own, every page held against its hash; agents below,
    their results, the bus and the notes come along. Commits get numbers without a gap, entries keep
    theirs. What does not stand without what is lost is left out. Pages that are lost are retired in
    the new workspace: reading one raises `loom.Expired`. Nothing in `path` is changed, and
    `new` is there at the end, whole, or not at all. Both may be addresses on an object store.

    Raises StoreLocked while any agent of the tree is open, FileNotFoundError where there is no
    workspace, BadRepair for a folder `new` that holds anything or lies within `path`,
    NewerWorkspace, UnfinishedRewrite for one that is half purged.
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
        raise BadRepair(f"{to} lies in the workspace {root}: name a folder beside it")
    if unfinished(root):
        raise UnfinishedRewrite(str(root))
    with ExitStack() as held:
        for folder in _tree(root):
            _lock(folder, held)
        try:
            with made_at(to, durable=durable) as making:
                return RepairReport(tuple(_repaired(root, making, "", Birth(), durable=durable)))
        except PlaceTaken as error:
            raise BadRepair(f"{to} is there and not empty: name a new folder") from error


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


def _tree(folder: Path) -> Iterator[Path]:
    """Yield a workspace and those below it, however damaged."""
    yield folder
    for below in _below(folder):
        yield from _tree(folder / below)


def _below(folder: Path) -> list[str]:
    """The folders of the agents and forks of one workspace, by their names in it."""
    return [
        f"{kind}/{path.name}"
        for kind in (FOLDER, FORKS)
        if (folder / kind).is_dir()
        for path in sorted((folder / kind).iterdir())
        if path.is_dir() and not path.is_symlink() and not path.name.startswith(TEMPORARY)
    ]


def _lock(folder: Path, held: ExitStack) -> None:
    """Lock a workspace; one without a lock file, or that cannot be written to, is only asked."""
    if (writer := writer_of(folder)) is not None:
        raise StoreLocked(str(folder), f"process {writer}")
    if (folder / LOCK).is_file():
        lock = Lock(folder)
        try:
            lock.acquire()
        except OSError as error:  # a disk that failed is mounted to be read alone
            if error.errno not in READ_ONLY:
                raise
            return
        held.callback(lock.release)


def _repaired(
    folder: Path, to: Path, agent: str, birth: Birth, above: Collection[str] = (), *, durable: bool
) -> Iterator[RepairedWorkspace]:
    """Repair a workspace, then those below it."""
    old = FileStore(folder, durable=False, create=False, others=OTHERS)
    new = FileStore(to, durable=durable)
    below = _below(folder)
    children = tuple(Path(name).name for name in below if name.startswith(FOLDER))
    told, standing = journal_repaired(old, new, agent, children, birth)
    files = files_copied(old, new, standing.delivered, above)
    new.close()
    yield replace(told, files=files)
    for name in below:
        yield from _repaired(
            folder / name,
            to / name,
            f"{agent}/{name}" if agent else name,
            _birth(standing, Path(name).name),
            [
                where.removeprefix(f"{name}/")
                for where in (*above, *(problem.where for problem in files))
                if where.startswith(f"{name}/")
            ],
            durable=durable,
        )


def _birth(standing: Standing, name: str) -> Birth:
    """What an agent was spawned with, as the one above has it."""
    known = standing.spawned.get(name)
    return Birth(known.budget if known else None, standing.window.working.depth + 1)

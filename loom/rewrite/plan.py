"""The plan of a purge, made without writing: which files get which bytes, which go, which move.

Theory of operation. Hashes lead from one file to another: a journal names the sha256 of its pages
and of what it joined, a result those of its artefacts, an event its page by the page's own hash. So
files are cleaned in that order, leaves first, and each new hash is known to all that name it:
pages and notes; results of agents; pages of the bus, which get new names; events; then journal and
snapshots of each workspace.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from loom.capabilities.agents.place import FOLDER, FORKS
from loom.engine.archive.indexing import INDEX
from loom.lazy import lazy_re
from loom.rewrite import memories
from loom.rewrite.clean_files import ARTEFACT, BUS_PAGE, FileCleaner, digest, rank
from loom.rewrite.clean_journal import CleanJournal
from loom.rewrite.cleaning import Renewals
from loom.rewrite.grammar import OwnNames, is_layout
from loom.rewrite.homes import agents_in
from loom.rewrite.purge_report import PurgedPlace, summed
from loom.rewrite.secrets import Secrets
from loom_paging.checkpoint import FOLDER as CHECKPOINTS
from loom_paging.names import LOCK, TEMPORARY
from loom_paging.rewriting import FileChanges, is_staged
from loom_partitions.records import Purged

_SEGMENT = lazy_re(r"journal/[0-9]+\.jsonl")
_SNAPSHOT = lazy_re(r"snapshots/[^/]+\.json")
_PLACES = (
    ("outputs/", "page"),
    ("snapshots/", "snapshot"),
    ("history/", "view"),
    ("checkpoints/", "checkpoint"),
    (INDEX, "index"),
    ("bus/", "bus"),
    ("capsule", "result"),
    ("inbox/", "inbox"),
    ("memory/", "note"),
    ("notes/", "note"),
)
_HASHED = lazy_re(r"[0-9a-f]{64}")
CACHED = ".ran"  # the ending of a kept result of a script


class PurgePlan:
    """The changes a purge makes below `root` and in the folders `also`."""

    def __init__(self, root: Path, also: tuple[Path, ...], secrets: Secrets, at: int) -> None:
        self.root, self._secrets = root, secrets
        self.places: list[PurgedPlace] = []
        self.left: list[str] = []
        self.values: dict[str, int] = {}  # how often each was found
        self.agents = list(agents_in(root))
        self._written: dict[Path, bytes] = {}
        self._stores: dict[Path, memories.CleanStore] = {}
        self._removed: list[Path] = []
        self._moved: list[tuple[Path, Path]] = []
        files = [path for path in _files(root) if path.name.upper() != LOCK]
        self._new = Renewals(own=OwnNames(self._inside(path)[1] for path in files))
        for folder, held in [(root, files), *((one, list(_files(one))) for one in also)]:
            self._clean_stores(folder)
            self._rename(folder)
            mine = [path for path in held if not self._of_store(path)]
            if folder == root:
                self._clean_files(mine)
            else:
                self._clean_beside(folder, mine)
        for home in self.agents:
            self._clean_home(home, at)

    def stage(self, making: FileChanges) -> None:
        """Make the changes ready. What is derived goes, and is made again, or was left by a
        crash."""
        for path, data in self._written.items():
            making.put(path, data)
        for path, store in self._stores.items():
            if store.changed:
                making.swap(path, store.build)
        derived = (path for path in _files(self.root) if self._is_derived(path))
        for path in dict.fromkeys((*self._removed, *derived)):
            making.remove(path)
        for path, new in sorted(self._moved, key=lambda move: -len(move[0].parts)):
            making.move(path, new)

    # --- what each file is ---

    def _clean_files(self, files: list[Path]) -> None:
        """Clean all but journals and snapshots."""
        cleaner = FileCleaner(self._secrets, self._new)
        named = [(path, *self._inside(path)) for path in files]
        for path, agent, name in sorted(named, key=lambda one: rank(one[2])):
            if self._is_derived(path):
                if self._secrets.hold_named(path.read_bytes()):
                    self._tell(agent, _place(name), name, became="removed")
            elif not (_SEGMENT.fullmatch(name) or _SNAPSHOT.fullmatch(name)):
                self._clean_file(cleaner, path, agent, name)

    def _is_derived(self, path: Path) -> bool:
        """True for a file that is made again where it is missing, or that a crash left."""
        made_again = self._inside(path)[1].startswith((CHECKPOINTS, INDEX))
        return made_again or path.name.startswith(TEMPORARY)

    def _clean_file(self, cleaner: FileCleaner, path: Path, agent: str, name: str) -> None:
        """Clean one file of a workspace; one that is named by its hash gets its new name."""
        old = path.read_bytes()
        new, became = cleaner(name, old)
        if new == old:
            self._secrets.take()
            return
        self._tell(agent, _place(name), name, became=became)
        before, after = digest(old), digest(new)
        self._new.hashes[before] = after, len(new)
        if became:
            self._new.standins.add(before)
        named = BUS_PAGE.fullmatch(name) or ARTEFACT.fullmatch(name)
        if named and named[2] == before:
            full = path.relative_to(self.root).as_posix()
            folders = full.removesuffix(name).split("/")
            moved = f"{named[1]}{after}{named[3]}"
            self._new.names[full] = (
                "/".join(self._new.names.get(one, one) for one in folders) + moved
            )
            self._removed.append(path)
            path = path.parent / Path(moved).name
        self._written[path] = new

    def _clean_home(self, home: Path, at: int) -> None:
        """Clean the journal and the snapshots of a workspace."""
        agent = self._agent(home)
        outputs = {
            path.relative_to(home).as_posix(): data
            for path, data in self._written.items()
            if path.parent == home / "outputs"
        }

        def found(file: str, where: str) -> None:
            self._tell(agent, "journal", where, file=file)

        made = CleanJournal(home, outputs, self._secrets, self._new, found)
        for path in _files(home / "snapshots"):
            name, old = path.relative_to(home).as_posix(), path.read_bytes()
            if not _SNAPSHOT.fullmatch(name):
                continue
            new = made.snapshot(name, old)
            if new != old:
                self._tell(agent, "snapshot", name)
                self._new.hashes[digest(old)] = digest(new), len(new)
                self._written[path] = new
        mine = [one for one in self.places if one.agent == agent]
        places = summed({one.place: sum(one.kinds.values())} for one in mine)
        record = Purged(summed(one.kinds for one in mine), places) if mine else None
        for name, data in made.written(record, at).items():
            self._written[home / name] = data

    def _clean_beside(self, folder: Path, files: list[Path]) -> None:
        """Clean a folder beside the workspace: notes, and results of scripts, which go."""
        for path in files:
            old, name = path.read_bytes(), path.relative_to(folder).as_posix()
            new = self._secrets.data(old)
            if new == old:
                self._secrets.take()
            elif path.suffix == CACHED:
                self._tell("", "cache", name, became="removed", file=str(path))
                self._removed.append(path)
            elif b"\0" in old and _place(name) != "note":
                self.left.append(self._secrets.text(str(path)))
                self._secrets.take()
            else:
                self._tell("", _place(name), name, file=str(path))
                self._written[path] = new

    def _clean_stores(self, folder: Path) -> None:
        """Clean the stores of long-term memory."""
        for path, engine in memories.stores_in(folder):
            memories.check_free(path, engine)
            agent, file = self._inside(path) if self.root in path.parents else ("", str(path))
            tell = partial(self._tell, agent, "memory", file=file)
            told = len(self.places)
            rows, last = memories.cleaned(path, engine, self._secrets, tell)
            changed = len(self.places) > told
            self._stores[path] = memories.CleanStore(engine, tuple(rows), last, changed)
            if changed:
                self._removed += filter(Path.exists, memories.beside(path))

    def _rename(self, folder: Path) -> None:
        """Find new names for files and folders whose names hold secrets."""
        taken: set[Path] = set()
        for path in sorted(folder.rglob("*"), key=lambda one: -len(one.parts)):
            if is_staged(path) or path.name.startswith(TEMPORARY) or self._is_own(path):
                continue
            name = stem = self._secrets.name(path.name)
            number = 1
            while name != path.name and (
                (path.parent / name).exists() or path.parent / name in taken
            ):
                number += 1
                name = f"{stem}-{number}"
            if name == path.name:
                self._secrets.take()
                continue
            taken.add(path.parent / name)
            self._moved.append((path, path.parent / name))
            if path.parent.name in (FOLDER, FORKS):
                self._new.names[path.name] = name
            agent = self._inside(path)[0] if self.root in path.parents else ""
            self._tell(agent, "name", f"{_place(path.name)} {name}", file="")

    def _is_own(self, path: Path) -> bool:
        """True for a name that Loom gave by itself: of its layout, of a store or beside one."""
        if self._of_store(path) or any(store in path.parents for store in self._stores):
            return True
        if any(path in store.parents for store in self._stores):
            return True
        if path.suffix == CACHED and _HASHED.fullmatch(path.stem):
            return True
        return self.root in path.parents and is_layout(self._inside(path)[1])

    def _of_store(self, path: Path) -> bool:
        """True for a file of a store of long-term memory, or beside one."""
        return any(
            store in (path, *path.parents) or path in memories.beside(store)
            for store in self._stores
        )

    # --- where they are ---

    def _inside(self, path: Path) -> tuple[str, str]:
        """The agent a file belongs to, and its name there."""
        homes = (one for one in self.agents if one in path.parents)
        home = max(homes, key=lambda one: len(one.parts), default=self.root)
        return self._agent(home), path.relative_to(home).as_posix()

    def _agent(self, folder: Path) -> str:
        return folder.relative_to(self.root).as_posix() if folder != self.root else ""

    def _tell(
        self, agent: str, place: str, where: str, *, became: str = "", file: str | None = None
    ) -> None:
        """Tell of a place, where anything was found there since the last one."""
        if kinds := self._secrets.take():
            self.values = summed((self.values, self._secrets.taken))
            texts = map(self._secrets.text, (agent, where, where if file is None else file))
            agent, where, file = texts
            self._secrets.take()
            self.places.append(PurgedPlace(agent, place, where, kinds, became, file))


def _files(folder: Path) -> Iterator[Path]:
    """Yield the plain files below a folder, links and what is staged left out."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and not is_staged(path):
            yield path


def _place(name: str) -> str:
    """The kind of place a name is of."""
    return next((place for part, place in _PLACES if part in name), "file")

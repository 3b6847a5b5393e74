"""The plan of a purge, made without writing: which files get which bytes, which go, which move.

Theory of operation. Hashes lead from one file to another: a journal names the sha256 of its pages
and of what it joined, a result those of its artefacts, an event its page by the page's own hash. So
files are cleaned in that order, leaves first, and each new hash is known to all that name it:
pages and notes; results of agents; pages of the bus, which get new names; events; then journal and
snapshots of each workspace.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from loom.capabilities.agents.place import FOLDER, FORKS
from loom.engine.archive.indexing import INDEX
from loom.lazy import lazy_re
from loom.rewrite import clean_pages as pages
from loom.rewrite import memories
from loom.rewrite.clean_files import CleanWorkspace, event, inbox_message, result, trim
from loom.rewrite.clean_journal import purged
from loom.rewrite.cleaning import Renewals
from loom.rewrite.grammar import OwnNames, is_layout
from loom.rewrite.homes import agents_in
from loom.rewrite.purge_report import PurgedPlace, summed
from loom.rewrite.secrets import Secrets
from loom_paging.checkpoint import FOLDER as CHECKPOINTS
from loom_paging.names import LOCK, TEMPORARY
from loom_paging.rewriting import is_staged

_BUS_PAGE = lazy_re(r"(.*bus/pages/)([0-9a-f]{64})(-[0-9a-f]{16}\.(?:json|bin))")
_ARTEFACT = lazy_re(r"(.*capsule/)([0-9a-f]{64})")
_EVENT = lazy_re(r"(?:.*/)?bus/[0-9]{12}\.json")
_RESULT = lazy_re(r"(?:.*/)?capsule\.json")
_MESSAGE = lazy_re(r"inbox/[^/]+\.json")
_TRIM = lazy_re(r"bus/trims/[0-9]{12}\.json")
_SEGMENT = lazy_re(r"journal/[0-9]+\.jsonl")
_SNAPSHOT = lazy_re(r"snapshots/[^/]+\.json")
_PLACES = (
    ("outputs/", "page"),
    ("snapshots/", "snapshot"),
    ("history/", "view"),
    ("checkpoints/", "checkpoint"),
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
        self.root, self._secrets, self._at = root, secrets, at
        self.places: list[PurgedPlace] = []
        self.written: dict[Path, bytes] = {}
        self.stores: dict[Path, memories.CleanStore] = {}
        self.removed: list[Path] = []
        self.moved: list[tuple[Path, Path]] = []
        self.left: list[str] = []
        self.values: dict[str, int] = {}  # how often each was found
        self._new = Renewals()
        self.agents = list(agents_in(root))
        files = [path for path in _files(root) if path.name.upper() != LOCK]
        self._new.own = OwnNames(self._inside(path)[1] for path in files)
        self._stores(root, files)
        self._rename(root)
        rest = self._outer(root, files)
        for folder in also:
            outside = list(_files(folder))
            self._stores(folder, outside)
            self._beside(folder, outside)
            self._rename(folder)
        self._inner(rest)

    # --- what each file is ---

    def _outer(self, root: Path, files: list[Path]) -> list[Path]:
        """Clean all but journals and snapshots; those come back."""
        ranks: dict[int, list[Path]] = {0: [], 1: [], 2: [], 3: [], 4: []}
        for path in files:
            name = self._inside(path)[1]
            if path.name.startswith((TEMPORARY, INDEX)) or name.startswith(CHECKPOINTS):
                self._derived(path)
                continue
            if _SEGMENT.fullmatch(name) or _SNAPSHOT.fullmatch(name):
                ranks[4].append(path)
            elif _EVENT.fullmatch(name):
                ranks[3].append(path)
            elif _BUS_PAGE.fullmatch(name):
                ranks[2].append(path)
            else:
                ranks[1 if _RESULT.fullmatch(name) else 0].append(path)
        for rank in (0, 1, 2, 3):
            for path in ranks[rank]:
                if not any(store in (path, *path.parents) for store in self.stores):
                    self._file(path, rank)
        return ranks[4]

    def _derived(self, path: Path) -> None:
        """Tell of a file that is removed with any change, where it holds secrets itself."""
        if self._secrets.hold_named(path.read_bytes()):
            kinds, (agent, name) = self._secrets.take(), self._inside(path)
            place = "index" if path.name.startswith(INDEX) else _place(name)
            self._tell(agent, place, name, kinds, "removed")

    def _file(self, path: Path, rank: int) -> None:
        """Clean one file of a workspace."""
        agent, name = self._inside(path)
        old, became = path.read_bytes(), ""
        if rank == 3:
            new = event(old, self._secrets, self._new)
        elif rank == 1:
            new = result(old, self._secrets, self._new)
        elif _MESSAGE.fullmatch(name):
            new = inbox_message(old, self._secrets)
        elif _TRIM.fullmatch(name):
            new = trim(old, self._secrets, self._new)
        else:
            new, became = pages.cleaned(name, old, self._secrets)
        kinds = self._secrets.take()
        if new == old:
            return
        self._tell(agent, _place(name), name, kinds, became)
        before, after = pages.digest(old), pages.digest(new)
        self._new.hashes[before] = after, len(new)
        if became:
            self._new.standins.add(before)
        named = _BUS_PAGE.fullmatch(name) or _ARTEFACT.fullmatch(name)
        if named and named[2] == before:
            moved = f"{named[1]}{after}{named[3] if len(named.groups()) > 2 else ''}"
            full = str(path.relative_to(self.root))
            folder = full[: len(full) - len(name)]
            self._new.names[full] = self._cleaned(folder) + moved
            self.removed.append(path)
            path = path.parent / Path(moved).name
        self.written[path] = new

    def _cleaned(self, folder: str) -> str:
        """A folder by the names its agents have now."""
        return "/".join(self._new.names.get(part, part) for part in folder.split("/"))

    def _inner(self, files: list[Path]) -> None:
        """Clean the journal and the snapshots of each workspace."""
        for folder in self.agents:
            agent = self._agent(folder)
            outputs = {
                str(path.relative_to(folder)): data
                for path, data in self.written.items()
                if path.parent == folder / "outputs"
            }

            def found(file: str, where: str, kinds: dict[str, int], agent: str = agent) -> None:
                self._tell(agent, "journal", where, kinds, file=file)

            made = CleanWorkspace(folder, outputs, self._secrets, self._new, found)
            for path in files:
                name = str(path.relative_to(folder)) if folder in path.parents else ""
                if _SNAPSHOT.fullmatch(name):
                    old = path.read_bytes()
                    new = made.snapshot(name, old)
                    if new != old:
                        self._tell(agent, "snapshot", name, self._secrets.take())
                        self._new.hashes[pages.digest(old)] = pages.digest(new), len(new)
                        self.written[path] = new
            mine = [(one.place, one.kinds) for one in self.places if one.agent == agent]
            record = purged(mine) if mine else None
            for name, data in made.written(record, self._at).items():
                self.written[folder / name] = data

    def _beside(self, folder: Path, files: list[Path]) -> None:
        """Clean a folder beside the workspace: notes, and results of scripts, which go."""
        for path in files:
            if any(store in (path, *path.parents) for store in self.stores):
                continue
            old = path.read_bytes()
            new = self._secrets.data(old)
            kinds, name = self._secrets.take(), path.relative_to(folder).as_posix()
            if new == old:
                continue
            if path.suffix == CACHED:
                self._tell("", "cache", name, kinds, "removed", str(path))
                self.removed.append(path)
            elif b"\0" in old and _place(name) != "note":
                self.left.append(self._secrets.text(str(path)))
                self._secrets.take()
            else:
                self._tell("", _place(name, "file"), name, kinds, file=str(path))
                self.written[path] = new

    def _stores(self, folder: Path, files: list[Path]) -> None:
        """Clean the stores of long-term memory."""
        for path, engine in memories.stores_in(folder):
            memories.check_free(path, engine)
            agent, file = self._inside(path) if self.root in path.parents else ("", str(path))
            changed: list[int] = []

            def found(
                id: int,
                kinds: dict[str, int],
                agent: str = agent,
                to: list[int] = changed,
                file: str = file,
            ) -> None:
                to.append(id)
                self._tell(agent, "memory", f"memory {id}", kinds, file=file)

            rows, last = memories.cleaned(path, engine, self._secrets, found)
            self.stores[path] = memories.CleanStore(engine, tuple(rows), last, bool(changed))
            for rest in memories.beside(path):
                if rest in files:
                    files.remove(rest)
                    if changed:
                        self.removed.append(rest)

    def _rename(self, folder: Path) -> None:
        """Find new names for files and folders whose names hold secrets."""
        taken: set[Path] = set()
        for path in sorted(folder.rglob("*"), key=lambda one: -len(one.parts)):
            if is_staged(path) or path.name.startswith(TEMPORARY) or self._is_own(path):
                continue
            name = self._secrets.name(path.name)
            kinds = self._secrets.take()
            if name == path.name:
                continue
            stem, number = name, 1
            while (path.parent / name).exists() or path.parent / name in taken:
                number += 1
                name = f"{stem}-{number}"
            taken.add(path.parent / name)
            self.moved.append((path, path.parent / name))
            if path.parent.name in (FOLDER, FORKS):
                self._new.names[path.name] = name
            agent = self._inside(path)[0] if self.root in path.parents else ""
            self._tell(agent, "name", f"{_place(path.name, 'file')} {name}", kinds)

    def _is_own(self, path: Path) -> bool:
        """True for a name that Loom gave by itself: of its layout, of a store or beside one."""
        if any(path == store or path in store.parents for store in self.stores):
            return True
        if any(store in path.parents or path in memories.beside(store) for store in self.stores):
            return True
        if path.suffix == CACHED and _HASHED.fullmatch(path.stem):
            return True
        return self.root in path.parents and is_layout(self._inside(path)[1])

    # --- where they are ---

    def _inside(self, path: Path) -> tuple[str, str]:
        """The agent a file belongs to, and its name there."""
        home = max(
            (one for one in self.agents if one in path.parents),
            key=lambda one: len(one.parts),
            default=self.root,
        )
        return self._agent(home), path.relative_to(home).as_posix()

    def _agent(self, folder: Path) -> str:
        return folder.relative_to(self.root).as_posix() if folder != self.root else ""

    def _tell(
        self,
        agent: str,
        place: str,
        where: str,
        kinds: dict[str, int],
        became: str = "",
        file: str | None = None,
    ) -> None:
        if kinds:
            self.values = summed((self.values, self._secrets.taken))
            file = ("" if place == "name" else where) if file is None else file
            agent, where, file = map(self._secrets.text, (agent, where, file))
            self._secrets.take()
            self.places.append(PurgedPlace(agent, place, where, kinds, became, file))


def _files(folder: Path) -> Iterator[Path]:
    """Yield the plain files below a folder, links and what is staged left out."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and not is_staged(path):
            yield path


def _place(name: str, other: str = "file") -> str:
    """The kind of place a name is of."""
    return next((place for begins, place in _PLACES if begins in f"{name}"), other)
